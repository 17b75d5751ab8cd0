package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"taper/internal/engine"
)

// Origin says from which run another was derived without a fit: logit P = Intercept + Slope · logit p.
type Origin struct {
	Parent    string  `json:"-"`
	Intercept float64 `json:"intercept"`
	Slope     float64 `json:"slope"`
	// the external validation it was based on, which may have been deleted
	Evaluation string `json:"evaluation,omitempty"`
	How        string `json:"how,omitempty"` // the way taken, as in external.Moved; "" for another prevalence
}

// AddDerived stores a run that was derived from another, as CreateRun, with its result. It is one
// transaction, because no job would end such a run.
func (db *DB) AddDerived(ctx context.Context, r Run, o Origin, res *engine.Result) error {
	how, err := toJSON(o)
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	found, err := encodeResult(res)
	if err != nil {
		return err
	}
	return db.createRun(ctx, r, func(tx *sql.Tx) error {
		if err := hasParent(ctx, tx, o); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO run_parents (run, parent, how) VALUES (?, ?, ?)`, r.ID, o.Parent, how)
		if err != nil {
			return fmt.Errorf("store origin: %w", err)
		}
		return db.insertResult(ctx, tx, r.ID, found)
	})
}

// hasParent returns an error if the parent was deleted since it was read: its model must not come back.
func hasParent(ctx context.Context, tx *sql.Tx, o Origin) error {
	var there bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?)`, o.Parent).Scan(&there)
	if err == nil && !there {
		return noRun(o.Parent)
	}
	return err
}

// RunOrigin returns from which run a run was derived; nil for a fitted run.
func (db *DB) RunOrigin(ctx context.Context, run string) (*Origin, error) {
	var o Origin
	var how string
	err := db.r.QueryRowContext(ctx, `SELECT parent, how FROM run_parents WHERE run = ?`, run).Scan(&o.Parent, &how)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read origin: %w", err)
	}
	if err := json.Unmarshal([]byte(how), &o); err != nil {
		return nil, fmt.Errorf("read origin: %w", err)
	}
	return &o, nil
}

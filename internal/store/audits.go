package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
)

// Audit is the stored audit of a run's labels.
type Audit struct {
	Run     string
	Created time.Time
	Version string
	Summary audit.LabelAudit // without its Ranking, which is in Rows
	Rows    []audit.Row      // most suspicious first
	Keys    []audit.Key      // of each row, in the same order
}

// KeepAudit stores the audit of a finished run and replaces an earlier one.
func (db *DB) KeepAudit(ctx context.Context, run, version string, a *audit.LabelAudit, keys []audit.Key) error {
	text, err := toJSON(a)
	if err != nil {
		return fmt.Errorf("encode audit: %w", err)
	}
	err = db.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO audits (run, created, version, summary, row_data) VALUES (?, ?, ?, ?, ?)`,
			run, millis(db.now()), version, text, audit.Encode(a.Ranking, keys))
		if err != nil {
			return err
		}
		return db.endJob(ctx, tx, run, AuditJob, Done)
	})
	if err != nil {
		return fmt.Errorf("keep audit: %w", err)
	}
	return nil
}

// Audit returns the audit of a run; nil if there is none.
func (db *DB) Audit(ctx context.Context, run string) (*Audit, error) {
	a := &Audit{Run: run}
	var created int64
	var text string
	var blob []byte
	err := db.r.QueryRowContext(ctx, `SELECT created, version, summary, row_data FROM audits WHERE run = ?`,
		run).Scan(&created, &a.Version, &text, &blob)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	a.Created = time.UnixMilli(created)
	if err := json.Unmarshal([]byte(text), &a.Summary); err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	if a.Rows, a.Keys, err = audit.Decode(blob); err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	return a, nil
}

// AuditMemory returns the bytes that reading a run's audit takes, without its rows, and the number of
// rows.
func (db *DB) AuditMemory(ctx context.Context, run string) (bytes int64, rows int, err error) {
	var ranking, summary int64
	err = db.r.QueryRowContext(ctx, `SELECT length(row_data), octet_length(summary) FROM audits WHERE run = ?`,
		run).Scan(&ranking, &summary)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, 0, fmt.Errorf("read audit: %w", err)
	}
	return ranking + textTimes*summary, audit.Encoded(ranking), nil
}

// AuditMade returns when the audit of a run was made, zero if there is none. Caches of Audit use it as
// their key.
func (db *DB) AuditMade(ctx context.Context, run string) (time.Time, error) {
	var created int64
	err := db.r.QueryRowContext(ctx, `SELECT created FROM audits WHERE run = ?`, run).Scan(&created)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read audit: %w", err)
	}
	return time.UnixMilli(created), nil
}

// KeepTrial stores how well an audit found deliberately flipped labels.
func (db *DB) KeepTrial(ctx context.Context, run string, v *audit.Trial) error {
	options, err := toJSON(v.TrialOptions)
	if err != nil {
		return fmt.Errorf("encode trial: %w", err)
	}
	result, err := toJSON(v)
	if err != nil {
		return fmt.Errorf("encode trial: %w", err)
	}
	err = db.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO audit_trials (run, options, created, result) VALUES (?, ?, ?, ?)`,
			run, options, millis(db.now()), result)
		if err != nil {
			return err
		}
		return db.endJob(ctx, tx, run, TrialJob, Done)
	})
	if err != nil {
		return fmt.Errorf("keep trial: %w", err)
	}
	return nil
}

// Trials lists the trials of a run, the newest first.
func (db *DB) Trials(ctx context.Context, run string) ([]audit.Trial, error) {
	rows, err := db.r.QueryContext(ctx, `
		SELECT result FROM audit_trials WHERE run = ? ORDER BY created DESC, options LIMIT 50`, run)
	var all []audit.Trial
	err = each(rows, err, "list trials", func() error {
		var text string
		var v audit.Trial
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return err
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

// Labels identifies the labels that decisions are about: a column of a dataset, with the hash of the
// dataset's bytes.
type Labels struct{ Dataset, DataHash, Outcome string }

// LabelsOf returns the labels of a run.
func LabelsOf(r Run) Labels { return Labels{r.Dataset, r.DatasetSHA, r.Spec.Outcome} }

// stands selects the valid decisions: for each row the last one that was not undone.
const stands = `
	FROM audit_decisions AS d WHERE dataset = ?1 AND data_hash = ?2 AND outcome = ?3 AND undone IS NULL
	AND id = (SELECT max(id) FROM audit_decisions
		WHERE dataset = d.dataset AND data_hash = d.data_hash AND outcome = d.outcome
		AND row_hash = d.row_hash AND undone IS NULL)`

// Decisions lists the valid decisions in the order in which they were made.
func (db *DB) Decisions(ctx context.Context, l Labels) ([]audit.Decision, error) {
	rows, err := db.r.QueryContext(ctx, `SELECT row_hash, row, kind, label, to_label, note, control, blind, created`+
		stands+` ORDER BY id`, l.Dataset, l.DataHash, l.Outcome)
	var all []audit.Decision
	err = each(rows, err, "list decisions", func() error {
		var d audit.Decision
		var key string
		var made int64
		if err := rows.Scan(&key, &d.Row, &d.Kind, &d.Label, &d.To, &d.Note, &d.Control, &d.Blind, &made); err != nil {
			return err
		}
		d.Key, _ = audit.ParseKey(key)
		d.Made = time.UnixMilli(made)
		all = append(all, d)
		return nil
	})
	return all, err
}

// Decide adds decisions, all or none.
func (db *DB) Decide(ctx context.Context, l Labels, run string, decisions ...audit.Decision) error {
	err := db.tx(ctx, func(tx *sql.Tx) error {
		for _, d := range decisions {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO audit_decisions (dataset, data_hash, outcome, row_hash, row, run, kind, label, to_label, note,
					control, blind, created)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				l.Dataset, l.DataHash, l.Outcome, d.Key.String(), d.Row, run, string(d.Kind), d.Label, d.To, d.Note, d.Control,
				d.Blind, millis(db.now()))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store decision: %w", err)
	}
	return nil
}

// Undo reverts the last valid decision about any row, and returns it.
func (db *DB) Undo(ctx context.Context, l Labels) (d audit.Decision, err error) {
	err = db.tx(ctx, func(tx *sql.Tx) error {
		var id int64
		var key string
		err := tx.QueryRowContext(ctx, `
			SELECT id, row_hash, row, kind, label, to_label, note FROM audit_decisions
			WHERE dataset = ? AND data_hash = ? AND outcome = ? AND undone IS NULL ORDER BY id DESC LIMIT 1`,
			l.Dataset, l.DataHash, l.Outcome).
			Scan(&id, &key, &d.Row, &d.Kind, &d.Label, &d.To, &d.Note)
		if errors.Is(err, sql.ErrNoRows) {
			return usererr.New(usererr.Conflict, "There is no decision to undo.")
		}
		if err != nil {
			return fmt.Errorf("undo: %w", err)
		}
		d.Key, _ = audit.ParseKey(key)
		_, err = tx.ExecContext(ctx, `UPDATE audit_decisions SET undone = ? WHERE id = ?`, millis(db.now()), id)
		return err
	})
	return d, err
}

// Child is a run made on labels that were reviewed.
type Child struct {
	ID, Name, Status string
	Changes          int // rows with another label, or left out
	Created          time.Time
}

// Children lists the runs made on reviewed labels of a run, the newest first. Their changes are counted in the
// database: each can have as many as rows.
func (db *DB) Children(ctx context.Context, parent string) ([]Child, error) {
	rows, err := db.r.QueryContext(ctx, `
		SELECT id, name, status, created, coalesce(json_array_length(spec, '$.review.changes'), 0)
		FROM runs JOIN run_specs ON run_specs.run = runs.id
		WHERE dataset = (SELECT dataset FROM runs WHERE id = ?1) AND json_extract(spec, '$.review.parent') = ?1
		ORDER BY created DESC LIMIT 100`, parent)
	var all []Child
	err = each(rows, err, "list children", func() error {
		var c Child
		var created int64
		if err := rows.Scan(&c.ID, &c.Name, &c.Status, &created, &c.Changes); err != nil {
			return err
		}
		c.Created = time.UnixMilli(created)
		all = append(all, c)
		return nil
	})
	return all, err
}

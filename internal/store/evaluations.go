package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"taper/internal/engine/external"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// Evaluation is the record of an external validation of a run: the performance of its model on another
// file, without any row of that file.
type Evaluation struct {
	ID, Run, Name    string
	File, SHA256     string // name and hash of the file
	Version          string // of the program
	Created          time.Time
	N, Events        int
	AUC              *float64 // for lists; nil where undefined
	ObservedExpected *float64
	Accuracy, MAE    *float64
	Result           *external.Evaluation // nil in lists
}

// storedEvaluation is the JSON of a result, with the metrics of several classes.
type storedEvaluation struct {
	*external.Evaluation
	Classes *stat.Classes `json:"classes,omitempty"`
}

// SaveEvaluation stores a validation of a finished run and returns its id. It replaces one with the same
// run and file, keeping id and name. A zero Created means now.
func (db *DB) SaveEvaluation(ctx context.Context, e Evaluation) (id string, err error) {
	text, err := toJSON(storedEvaluation{e.Result, e.Result.Classes})
	if err != nil {
		return "", fmt.Errorf("encode evaluation: %w", err)
	}
	if e.Created.IsZero() {
		e.Created = db.now()
	}
	e.summarize()
	err = db.tx(ctx, func(tx *sql.Tx) error {
		var status string
		err := tx.QueryRowContext(ctx, `SELECT status FROM runs WHERE id = ?`, e.Run).Scan(&status)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return noRun(e.Run)
		case err != nil:
			return err
		case status != Done:
			return noResult(status)
		}
		return tx.QueryRowContext(ctx, `
			INSERT INTO evaluations (id, run, name, file, sha256, version, created, n, events, auc,
				observed_expected, accuracy, mae, result)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (run, sha256) DO UPDATE SET file = excluded.file, version = excluded.version, created = excluded.created,
				n = excluded.n, events = excluded.events, auc = excluded.auc, observed_expected = excluded.observed_expected,
				accuracy = excluded.accuracy, mae = excluded.mae, result = excluded.result
			RETURNING id`,
			db.NewID("e"), e.Run, e.Name, e.File, e.SHA256, e.Version, millis(e.Created), e.N, e.Events,
			e.AUC, e.ObservedExpected, e.Accuracy, e.MAE, text).Scan(&id)
	})
	if err != nil {
		return "", fmt.Errorf("save evaluation: %w", err)
	}
	return id, nil
}

// summarize sets the fields for lists.
func (e *Evaluation) summarize() {
	e.N, e.Events = e.Result.Rows, e.Result.Events
	e.AUC, e.Accuracy = e.Result.Metrics.AUC, e.Result.Metrics.Accuracy
	if p := e.Result.Performance; p != nil {
		e.ObservedExpected = p.ObservedExpected.Value
	}
	if c := e.Result.Classes; c != nil {
		e.Accuracy, e.MAE = c.Accuracy, c.MAE
	}
}

// evaluationColumns are the columns for lists.
const evaluationColumns = `id, run, name, file, sha256, version, created, n, events, auc,
	observed_expected, accuracy, mae`

func (e *Evaluation) scan(scan func(...any) error, more ...any) error {
	var created int64
	err := scan(append([]any{&e.ID, &e.Run, &e.Name, &e.File, &e.SHA256, &e.Version, &created, &e.N, &e.Events,
		&e.AUC, &e.ObservedExpected, &e.Accuracy, &e.MAE}, more...)...)
	e.Created = time.UnixMilli(created).UTC()
	return err
}

// Evaluation returns a validation with its result.
func (db *DB) Evaluation(ctx context.Context, id string) (Evaluation, error) {
	var e Evaluation
	var text string
	err := e.scan(db.r.QueryRowContext(ctx, `SELECT `+evaluationColumns+`, result FROM evaluations WHERE id = ?`,
		id).Scan, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return e, noEvaluation(id)
	}
	if err != nil {
		return e, fmt.Errorf("read evaluation: %w", err)
	}
	e.Result = new(external.Evaluation)
	stored := storedEvaluation{Evaluation: e.Result}
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return e, fmt.Errorf("read evaluation: %w", err)
	}
	e.Result.Classes = stored.Classes
	return e, nil
}

// Evaluations lists the validations of a run, the newest first.
func (db *DB) Evaluations(ctx context.Context, run string) ([]Evaluation, error) {
	rows, err := db.r.QueryContext(ctx, `SELECT `+evaluationColumns+
		` FROM evaluations WHERE run = ? ORDER BY created DESC, id DESC`, run)
	var all []Evaluation
	err = each(rows, err, "list evaluations", func() error {
		var e Evaluation
		if err := e.scan(rows.Scan); err != nil {
			return err
		}
		all = append(all, e)
		return nil
	})
	return all, err
}

// RenameEvaluation changes the name.
func (db *DB) RenameEvaluation(ctx context.Context, id, name string) error {
	res, err := db.w.ExecContext(ctx, `UPDATE evaluations SET name = ? WHERE id = ?`, name, id)
	if err != nil {
		return fmt.Errorf("rename evaluation: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return noEvaluation(id)
	}
	return nil
}

// DeleteEvaluation removes a validation and wipes what it held.
func (db *DB) DeleteEvaluation(ctx context.Context, id string) error {
	if err := db.erase(ctx, `DELETE FROM evaluations WHERE id = ?`, id, noEvaluation(id)); err != nil {
		return err
	}
	return db.scrub(ctx)
}

func noEvaluation(id string) error {
	return usererr.New(usererr.NotFound, "There is no external validation %q. It may have been deleted.", id)
}

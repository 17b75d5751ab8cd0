package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"taper/internal/engine"
)

// Bootstrap is the record of the bootstrap of a run. A run has at most one; a new one replaces it.
type Bootstrap struct {
	Run, Status, Error string
	Replicates         int               // number asked for
	Created, Finished  time.Time         // zero if not yet
	Result             *engine.Bootstrap // nil until done
}

// BeginBootstrap stores that a bootstrap of a finished run was asked for.
func (db *DB) BeginBootstrap(ctx context.Context, run string, replicates int) error {
	return db.tx(ctx, func(tx *sql.Tx) error {
		var status string
		err := tx.QueryRowContext(ctx, `SELECT status FROM runs WHERE id = ?`, run).Scan(&status)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return noRun(run)
		case err != nil:
			return fmt.Errorf("begin bootstrap: %w", err)
		case status != Done:
			return noResult(status)
		}
		_, err = tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO run_bootstraps (run, status, error, replicates, created) VALUES (?, 'queued', '', ?, ?)`,
			run, replicates, millis(db.now()))
		if err != nil {
			return fmt.Errorf("begin bootstrap: %w", err)
		}
		return nil
	})
}

// FinishBootstrap stores the result.
func (db *DB) FinishBootstrap(ctx context.Context, run string, b *engine.Bootstrap) error {
	text, err := toJSON(b)
	if err != nil {
		return fmt.Errorf("encode bootstrap: %w", err)
	}
	return db.closeBootstrap(ctx, run, Done, "", &text)
}

// EndBootstrap ends a bootstrap without a result.
func (db *DB) EndBootstrap(ctx context.Context, run, status, sentence string) error {
	return db.withReserve(ctx, func() error { return db.closeBootstrap(ctx, run, status, sentence, nil) })
}

func (db *DB) closeBootstrap(ctx context.Context, run, status, sentence string, result *string) error {
	return db.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE run_bootstraps SET status = ?, error = ?, finished = ?, result = ?
			WHERE run = ? AND status IN ('queued', 'running')`,
			status, sentence, millis(db.now()), result, run)
		if err != nil {
			return fmt.Errorf("end bootstrap: %w", err)
		}
		return db.endJob(ctx, tx, run, BootstrapJob, status)
	})
}

// interruptBootstraps ends the bootstraps that a crash left unfinished.
func (db *DB) interruptBootstraps(ctx context.Context) error {
	_, err := db.w.ExecContext(ctx, `
		UPDATE run_bootstraps SET status = 'interrupted', finished = ?,
			error = 'Taper stopped before this bootstrap ended. ' || CASE WHEN EXISTS
				(SELECT 1 FROM jobs WHERE jobs.run = run_bootstraps.run AND kind = 'bootstrap')
			THEN 'It goes on when Taper starts again.' ELSE 'Start it again.' END
		WHERE status IN ('queued', 'running')`, millis(db.now()))
	return err
}

// RunBootstrap returns the bootstrap of a run; nil if none was asked for.
func (db *DB) RunBootstrap(ctx context.Context, run string) (*Bootstrap, error) {
	b := &Bootstrap{Run: run}
	var created int64
	var finished *int64
	var result *string
	err := db.r.QueryRowContext(ctx, `
		SELECT status, error, replicates, created, finished, result FROM run_bootstraps WHERE run = ?`, run).
		Scan(&b.Status, &b.Error, &b.Replicates, &created, &finished, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read bootstrap: %w", err)
	}
	b.Created = time.UnixMilli(created)
	if finished != nil {
		b.Finished = time.UnixMilli(*finished)
	}
	if result != nil {
		b.Result = new(engine.Bootstrap)
		if err := json.Unmarshal([]byte(*result), b.Result); err != nil {
			return nil, fmt.Errorf("read bootstrap: %w", err)
		}
	}
	return b, nil
}

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"taper/internal/engine/job"
)

// KeepLeftOut stores the units that a job of a study or of a run ended without.
func (db *DB) KeepLeftOut(ctx context.Context, study, run string, s job.Sharing) error {
	told, err := toJSON(s)
	if err != nil {
		return fmt.Errorf("keep units left out: %w", err)
	}
	owner := func(id string) sql.NullString { return sql.NullString{String: id, Valid: id != ""} }
	_, err = db.w.ExecContext(ctx, `
		INSERT INTO left_out (job, study, run, ended, told) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (job) DO UPDATE SET ended = excluded.ended, told = excluded.told`,
		s.Job, owner(study), owner(run), millis(db.now()), told)
	if err != nil {
		return fmt.Errorf("keep units left out: %w", err)
	}
	return nil
}

// ForgetLeftOut deletes what KeepLeftOut stored of a job.
func (db *DB) ForgetLeftOut(ctx context.Context, id string) error {
	var one int
	err := db.r.QueryRowContext(ctx, `SELECT 1 FROM left_out WHERE job = ?`, id).Scan(&one)
	if err == sql.ErrNoRows { // most jobs: no reason to write
		return nil
	}
	if err == nil {
		_, err = db.w.ExecContext(ctx, `DELETE FROM left_out WHERE job = ?`, id)
	}
	if err != nil {
		return fmt.Errorf("forget units left out: %w", err)
	}
	return nil
}

// mostLeftOut bounds the list of jobs that ended without some units.
const mostLeftOut = 20

// LeftOut lists the jobs that ended without some units, the last first.
func (db *DB) LeftOut(ctx context.Context) (all []job.Sharing, err error) {
	rows, err := db.r.QueryContext(ctx, `SELECT told FROM left_out ORDER BY ended DESC, job LIMIT ?`, mostLeftOut)
	err = each(rows, err, "read units left out", func() error {
		var told []byte
		if err := rows.Scan(&told); err != nil {
			return err
		}
		var s job.Sharing
		if err := json.Unmarshal(told, &s); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

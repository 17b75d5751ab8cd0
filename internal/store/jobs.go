package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// The kinds of jobs. A study keeps its units as long as it exists; the others belong to a run and keep theirs until
// they end.
const (
	StudyJob     = "study"
	RunJob       = "run"
	BootstrapJob = "bootstrap"
	AuditJob     = "audit"
	TrialJob     = "trial"
)

// Job is what a job of a run was asked for, so that a program that starts again can go on with it.
type Job struct {
	ID, Kind, Run string
	Spec          json.RawMessage
	Bytes         int64  // upper bound on its memory
	Class         string // of processors that alone compute its units; "" = any
	Attempts      int    // how often it began since a unit was kept or the program stopped in order
}

// BeginJob stores that a job of a run was asked for. Units that an earlier job of that run and kind was not done
// with stay until OpenJob.
func (db *DB) BeginJob(ctx context.Context, j Job) error {
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO jobs (id, kind, run, spec, bytes, class, digest, attempts, created) VALUES (?, ?, ?, ?, ?, ?, '', 0, ?)
			ON CONFLICT (id) DO UPDATE SET spec = excluded.spec, bytes = excluded.bytes, class = excluded.class,
				attempts = 0, created = excluded.created, ended = NULL`,
			j.ID, j.Kind, j.Run, string(j.Spec), j.Bytes, j.Class, millis(db.now()))
		if err != nil {
			return true, fmt.Errorf("begin job: %w", err)
		}
		return true, nil
	})
}

// OpenJob stores that a job begins. The digest stands for all that its numbers depend on: units of another one, or of
// another class of processors than the job is held to ("" = any), are deleted.
func (db *DB) OpenJob(ctx context.Context, id, digest, class string) error {
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		for _, q := range []struct {
			query string
			args  []any
		}{
			{`DELETE FROM units WHERE job = ?1 AND ((SELECT digest FROM jobs WHERE id = ?1) <> ?2 OR ?3 <> '' AND class <> ?3)`,
				[]any{id, digest, class}},
			{`UPDATE jobs SET digest = ?2, attempts = attempts + 1 WHERE id = ?1`, []any{id, digest}},
		} {
			if _, err := tx.ExecContext(ctx, q.query, q.args...); err != nil {
				return true, fmt.Errorf("open job: %w", err)
			}
		}
		return true, nil
	})
}

// OpenJobs lists the jobs of runs that have not ended, in the order in which they were asked for.
func (db *DB) OpenJobs(ctx context.Context) (all []Job, err error) {
	rows, err := db.r.QueryContext(ctx, `
		SELECT id, kind, run, spec, bytes, class, attempts FROM jobs WHERE run IS NOT NULL AND ended IS NULL
		ORDER BY created, rowid`)
	err = each(rows, err, "list jobs", func() error {
		j, err := scanJob(rows)
		all = append(all, j)
		return err
	})
	return all, err
}

// Job returns a job of a run.
func (db *DB) Job(ctx context.Context, id string) (Job, error) {
	j, err := scanJob(db.r.QueryRowContext(ctx, `
		SELECT id, kind, run, spec, bytes, class, attempts FROM jobs WHERE id = ? AND run IS NOT NULL`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return j, noJob(id)
	}
	if err != nil {
		return j, fmt.Errorf("read job: %w", err)
	}
	return j, nil
}

func scanJob(row interface{ Scan(...any) error }) (j Job, err error) {
	var spec []byte
	err = row.Scan(&j.ID, &j.Kind, &j.Run, &spec, &j.Bytes, &j.Class, &j.Attempts)
	if j.Spec = spec; err == nil && !json.Valid(spec) {
		err = errors.New("what it was asked for is not JSON")
	}
	return j, err
}

// RequeueJob makes a job that the end of the program interrupted queued again, so that it can start.
func (db *DB) RequeueJob(ctx context.Context, j Job) error {
	query := ""
	switch j.Kind {
	case RunJob:
		query = `UPDATE runs SET status = 'queued', error = '', started = NULL, finished = NULL
			WHERE id = ? AND status = 'interrupted'`
	case BootstrapJob:
		query = `UPDATE run_bootstraps SET status = 'queued', error = '', finished = NULL
			WHERE run = ? AND status = 'interrupted'`
	default: // the job alone says that an audit is under way
		return nil
	}
	res, err := db.w.ExecContext(ctx, query, j.Run)
	if err != nil {
		return fmt.Errorf("requeue job: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return usererr.New(usererr.Conflict, "The job %q was not interrupted.", j.ID)
	}
	return nil
}

// EndJob stores that a job whose result is stored elsewhere, or that has none, has ended in a state.
func (db *DB) EndJob(ctx context.Context, run, kind, status string) error {
	return db.withReserve(ctx, func() error {
		return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) { return true, db.endJob(ctx, tx, run, kind, status) })
	})
}

// endJob deletes a job with its units, unless it can go on with them: after the program has stopped, and where it is
// started again after it failed by single units.
func (db *DB) endJob(ctx context.Context, x execer, run, kind, status string) error {
	query, args := `DELETE FROM jobs WHERE run = ? AND kind = ?`, []any{run, kind}
	switch {
	case status == Interrupted: // it is taken up at the next start
		query = `UPDATE jobs SET attempts = 0 WHERE run = ? AND kind = ?`
	case status == Failed && kind != RunJob: // a run is not started again: "Run it again" makes another one
		res, err := x.ExecContext(ctx, `UPDATE jobs SET ended = ?3 WHERE run = ?1 AND kind = ?2
			AND EXISTS (SELECT 1 FROM left_out WHERE left_out.job = jobs.id)`, run, kind, millis(db.now()))
		if err != nil {
			return fmt.Errorf("end job: %w", err)
		}
		if n, _ := res.RowsAffected(); n > 0 {
			return nil
		}
	}
	if _, err := x.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("end job: %w", err)
	}
	return nil
}

// Unit is a finished unit of a job of any kind, with the engine and the class of processor that computed it: the same
// engine on the same class gives the same bits.
type Unit struct {
	Stage  int
	ID     string
	Answer []byte
	job.Maker
}

// KeepUnits stores units in one transaction. The time taken is added to that of a study.
func (db *DB) KeepUnits(ctx context.Context, id string, units []Unit, took time.Duration) error {
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		res, err := tx.ExecContext(ctx, `UPDATE jobs SET attempts = 0 WHERE id = ?`, id)
		if err != nil {
			return true, fmt.Errorf("keep unit: %w", err)
		}
		if n, _ := res.RowsAffected(); n == 0 {
			return true, noJob(id)
		}
		for _, u := range units {
			if u.Answer == nil { // a nil slice would be NULL
				u.Answer = []byte{}
			}
			if _, err := tx.ExecContext(ctx, `
				INSERT INTO units (job, stage, unit, answer, machine, class, engine) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				id, u.Stage, u.ID, u.Answer, u.Machine, u.Class, u.Engine); err != nil {
				return true, fmt.Errorf("keep unit: %w", err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE studies SET done = done + ?2, elapsed = elapsed + ?3 WHERE id = ?1`,
			id, len(units), took.Milliseconds())
		if err != nil {
			return true, fmt.Errorf("keep unit: %w", err)
		}
		return true, nil
	})
}

// Units calls found for every kept unit of a stage of a job. The answer is valid during the call.
func (db *DB) Units(ctx context.Context, id string, stage int, found func(unit string, answer []byte) error) error {
	rows, err := db.r.QueryContext(ctx, `SELECT unit, answer FROM units WHERE job = ? AND stage = ?`, id, stage)
	return each(rows, err, "read units", func() error {
		var unit string
		var answer sql.RawBytes
		if err := rows.Scan(&unit, &answer); err != nil {
			return err
		}
		return found(unit, answer)
	})
}

// UnitsOfOthers lists the units of a study that another engine computed, or another class of processors than a
// study is held to ("" = any). Units whose engine or class is not known are left out.
func (db *DB) UnitsOfOthers(ctx context.Context, id, engine, class string) (units []string, err error) {
	return queryTexts(ctx, db.r, `
		SELECT unit FROM units WHERE job = ?1 AND
			(engine NOT IN ('', ?2) OR ?3 <> '' AND class NOT IN ('', ?3)) ORDER BY unit`, id, engine, class)
}

// DropUnits deletes units that are not in this version's plan of a study.
func (db *DB) DropUnits(ctx context.Context, id string, units []string) error {
	return db.tx(ctx, func(tx *sql.Tx) error {
		for _, u := range units {
			if _, err := tx.ExecContext(ctx, `DELETE FROM units WHERE job = ? AND unit = ?`, id, u); err != nil {
				return fmt.Errorf("drop unit: %w", err)
			}
		}
		return db.changeStudy(ctx, tx, id, `
			UPDATE studies SET done = (SELECT count(*) FROM units WHERE job = ?1) WHERE id = ?1`)
	})
}

func noJob(id string) error { return usererr.New(usererr.NotFound, "There is no job %q.", id) }

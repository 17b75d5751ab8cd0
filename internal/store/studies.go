package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Paused is the state of a study that its user stopped for a while.
const Paused = "paused"

// Study is the record of a replicated experiment.
type Study struct {
	ID, Dataset, Name, Status, Error, Version string
	Created, Finished                         time.Time     // zero: not yet
	Elapsed                                   time.Duration // time of work, over all sittings
	Units, Done                               int           // units of the plan, and those stored
	Spec                                      study.Spec
	// how the file was read; nil for generated data and studies of older versions
	Reading *table.Options
	Class   string // of processors that alone compute its units; "" = any
	Queue   string // by which the rows of its upload may leave this machine; "" = they stay
}

const studyColumns = `id, coalesce(dataset, ''), name, status, error, version, created, finished, elapsed, units,
	done, spec, reading, class, queue`

func scanStudy(row interface{ Scan(...any) error }) (s Study, err error) {
	var elapsed int64
	var created, finished sql.NullInt64
	var spec []byte
	var reading *string
	if err = row.Scan(&s.ID, &s.Dataset, &s.Name, &s.Status, &s.Error, &s.Version, &created, &finished, &elapsed,
		&s.Units, &s.Done, &spec, &reading, &s.Class, &s.Queue); err != nil {
		return s, err
	}
	s.Created, s.Finished = fromMillis(created), fromMillis(finished)
	s.Elapsed = time.Duration(elapsed) * time.Millisecond
	if reading != nil {
		if err := json.Unmarshal([]byte(*reading), &s.Reading); err != nil {
			return s, err
		}
	}
	return s, json.Unmarshal(spec, &s.Spec)
}

// CreateStudy stores a queued study; a zero Created means now.
func (db *DB) CreateStudy(ctx context.Context, s Study) error {
	if s.Created.IsZero() {
		s.Created = db.now()
	}
	spec, err := toJSON(s.Spec)
	if err != nil {
		return fmt.Errorf("create study: %w", err)
	}
	reading, err := readingJSON(s.Reading)
	if err != nil {
		return fmt.Errorf("create study: %w", err)
	}
	dataset := sql.NullString{String: s.Dataset, Valid: s.Dataset != ""}
	err = db.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO studies (id, dataset, name, preset, size, status, error, version, created, elapsed, units, done,
				spec, reading, class, queue)
			VALUES (?, ?, ?, ?, ?, 'queued', '', ?, ?, 0, ?, 0, ?, ?, ?, ?)`,
			s.ID, dataset, s.Name, s.Spec.Preset, string(s.Spec.Size), s.Version, millis(s.Created), s.Units, spec, reading,
			s.Class, s.Queue)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO jobs (id, kind, study, spec, bytes, class, digest, attempts, created)
			VALUES (?1, 'study', ?1, '', 0, ?2, '', 0, ?3)`, s.ID, s.Class, millis(s.Created))
		return err
	})
	if err != nil {
		return fmt.Errorf("create study: %w", err)
	}
	return nil
}

// Study returns one study.
func (db *DB) Study(ctx context.Context, id string) (Study, error) {
	s, err := scanStudy(db.r.QueryRowContext(ctx, `SELECT `+studyColumns+` FROM studies WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return s, noStudy(id)
	}
	if err != nil {
		return s, fmt.Errorf("read study: %w", err)
	}
	return s, nil
}

// StudyFilter chooses studies; empty fields choose all. The newest come first.
type StudyFilter struct {
	Dataset, Preset, Status string
	Limit, Offset           int
}

// Studies returns one page of the selected studies, and the number of all selected.
func (db *DB) Studies(ctx context.Context, f StudyFilter) ([]Study, int, error) {
	const where = ` WHERE (?1 = '' OR dataset = ?1) AND (?2 = '' OR preset = ?2) AND (?3 = '' OR status = ?3)`
	var total int
	if err := db.r.QueryRowContext(ctx, `SELECT count(*) FROM studies`+where, f.Dataset, f.Preset,
		f.Status).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count studies: %w", err)
	}
	rows, err := db.r.QueryContext(ctx, `SELECT `+studyColumns+` FROM studies`+where+
		` ORDER BY created DESC, id DESC LIMIT ?4 OFFSET ?5`,
		f.Dataset, f.Preset, f.Status, f.Limit, f.Offset)
	list := []Study{}
	err = each(rows, err, "list studies", func() error {
		s, err := scanStudy(rows)
		if err != nil {
			return err
		}
		list = append(list, s)
		return nil
	})
	return list, total, err
}

// SetStudy sets the state of a study that is not done, with a sentence if it failed. Only a queued study
// can start.
func (db *DB) SetStudy(ctx context.Context, id, status, sentence string) error {
	var finished any
	switch status {
	case Running:
		return db.changeStudy(ctx, db.w, id, `
			UPDATE studies SET status = 'running', error = '' WHERE id = ? AND status = 'queued'`)
	case Queued, Paused, Interrupted:
	case Failed, Cancelled:
		finished = millis(db.now())
	default:
		return fmt.Errorf("set study: status %q", status)
	}
	return db.withReserve(ctx, func() error {
		return db.changeStudy(ctx, db.w, id, `UPDATE studies SET status = ?2, error = ?3, finished = ?4
			WHERE id = ?1 AND status <> 'done'`, status, sentence, finished)
	})
}

// StudyUnits returns the stored numbers.
func (db *DB) StudyUnits(ctx context.Context, id string) (study.Values, error) {
	values := study.Values{}
	err := db.Units(ctx, id, 0, func(unit string, answer []byte) (err error) {
		values[unit], err = job.DecodeNumbers(answer)
		return err
	})
	return values, err
}

// FinishStudy stores the summary of a study whose units are all stored.
func (db *DB) FinishStudy(ctx context.Context, id string, cells []study.Cell) error {
	text, err := toJSON(cells)
	if err != nil {
		return fmt.Errorf("finish study: %w", err)
	}
	return db.tx(ctx, func(tx *sql.Tx) error {
		err := db.changeStudy(ctx, tx, id, `
			UPDATE studies SET status = 'done', error = '', finished = ?2
			WHERE id = ?1 AND status IN ('running', 'paused')`, millis(db.now()))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO study_cells (study, cells) VALUES (?, ?)`, id, text)
		return err
	})
}

// ChangeCells changes the summary of a finished study in one transaction, so concurrent changes do not
// overwrite each other.
func (db *DB) ChangeCells(ctx context.Context, id string, change func([]study.Cell) []study.Cell) error {
	return db.tx(ctx, func(tx *sql.Tx) error {
		cells, err := cellsOf(tx.QueryRowContext(ctx,
			`SELECT c.cells FROM study_cells c JOIN studies s ON s.id = c.study WHERE s.id = ? AND s.status = 'done'`, id))
		if err != nil {
			return err
		}
		text, err := toJSON(change(cells))
		if err != nil {
			return fmt.Errorf("change cells: %w", err)
		}
		return db.changeStudy(ctx, tx, id, `UPDATE study_cells SET cells = ?2 WHERE study = ?1`, text)
	})
}

// StudyCells returns the summary of a study that is done.
func (db *DB) StudyCells(ctx context.Context, id string) ([]study.Cell, error) {
	return cellsOf(db.r.QueryRowContext(ctx, `SELECT cells FROM study_cells WHERE study = ?`, id))
}

func cellsOf(row *sql.Row) (cells []study.Cell, err error) {
	var text []byte
	err = row.Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, usererr.New(usererr.Conflict, "The study has no summary yet: it has not ended.")
	}
	if err != nil {
		return nil, fmt.Errorf("read cells: %w", err)
	}
	if err := json.Unmarshal(text, &cells); err != nil {
		return nil, fmt.Errorf("read cells: %w", err)
	}
	study.Relabel(cells)
	return cells, nil
}

// DeleteStudy removes a study and wipes what it held. Stop its job first.
func (db *DB) DeleteStudy(ctx context.Context, id string) error {
	if err := db.erase(ctx, `DELETE FROM studies WHERE id = ?`, id, noStudy(id)); err != nil {
		return err
	}
	return db.scrub(ctx)
}

// interruptStudies marks the studies that a crash left unfinished.
func (db *DB) interruptStudies(ctx context.Context) error {
	_, err := db.w.ExecContext(ctx, `UPDATE studies SET status = 'interrupted' WHERE status IN ('queued', 'running')`)
	return err
}

// changeStudy runs an update of one study and explains why it changed none.
func (db *DB) changeStudy(ctx context.Context, x execer, id, query string, args ...any) error {
	res, err := x.ExecContext(ctx, query, append([]any{id}, args...)...)
	if err != nil {
		return fmt.Errorf("update study: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 1 {
		return nil
	}
	var status string
	err = x.QueryRowContext(ctx, `SELECT status FROM studies WHERE id = ?`, id).Scan(&status)
	if errors.Is(err, sql.ErrNoRows) {
		return noStudy(id)
	}
	if err != nil {
		return fmt.Errorf("update study: %w", err)
	}
	return usererr.New(usererr.Conflict, "The status of the study has changed meanwhile: it is %s.", status)
}

func noStudy(id string) error { return usererr.New(usererr.NotFound, "There is no study %q.", id) }

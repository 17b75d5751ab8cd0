package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Dataset is an uploaded file and what is known about it.
type Dataset struct {
	ID, Name, File, SHA256 string
	Bytes                  int64
	Rows                   int
	Created                time.Time
	ReadMS                 int64          // duration of the last reading
	State                  string         // Draft, Raw or Kept
	Problem                *usererr.Error // drafts only; its Cause is not stored
	Options                table.Options  // the user's reading options
	Dialect                table.Dialect  // as used
	Profiles               []table.Profile
	Warnings               []table.Warning
	Dropped                []table.Drop
	Choice                 Choice
	Sample                 bool // ships with the program
	Simulated              bool // made by a generator
	// columns dropped on confirmation; nil if not confirmed, or confirmed by an older version
	LeftOut []LeftOut
	Source  string // source of sample data
	Runs    int    // number of its runs; set by the methods that read
}

// Choice is what the user chose to train on.
type Choice struct {
	Outcome    string       `json:"outcome,omitempty"`
	Positive   table.Levels `json:"positive,omitempty"`
	Negative   table.Levels `json:"negative,omitempty"`
	ScoreOnly  []string     `json:"score_only,omitempty"`
	Predictors []string     `json:"predictors,omitempty"`
	Group      string       `json:"group,omitempty"`
	Weights    string       `json:"weights,omitempty"`
}

// LeftOut is a column that was dropped when its dataset was confirmed.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // a Left… constant
}

// Why a column was left out.
const (
	LeftIdentifier = "identifier"
	LeftDate       = "date"
	LeftText       = "text"
	LeftConstant   = "constant"
	LeftLeak       = "leak"     // possibly known only after the outcome
	LeftExcluded   = "excluded" // by the user's decision
	LeftUnchosen   = "unchosen" // not among the predictors chosen
)

// CreateDataset stores a dataset and takes ownership of its upload. ID comes from NewID; Bytes and SHA256
// are those of the upload; a zero Created means now.
func (db *DB) CreateDataset(ctx context.Context, d Dataset, raw *Upload) error {
	if !validID(d.ID) || d.State == Kept {
		return fmt.Errorf("create dataset: id %q, state %q", d.ID, d.State)
	}
	d.Bytes, d.SHA256 = raw.Size(), raw.Sum()
	if d.Created.IsZero() {
		d.Created = db.now()
	}
	file := db.RawPath(d.ID)
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("create dataset: %s exists", d.ID)
	}
	if err := db.markUpload(d.ID); err != nil {
		return errors.Join(fmt.Errorf("create dataset: %w", noSpace(db.dir, err)), db.unmarkUpload(d.ID))
	}
	if err := raw.moveTo(file); err != nil {
		return errors.Join(fmt.Errorf("create dataset: %w", noSpace(db.dir, err)), db.dropUpload(d.ID))
	}
	if err := db.insertDataset(ctx, d); err != nil {
		return errors.Join(fmt.Errorf("create dataset: %w", err), db.takeBack(context.WithoutCancel(ctx), d.ID))
	}
	_ = db.unmarkUpload(d.ID) // once the dataset exists, a remaining mark has no effect and is removed at the next start
	return nil
}

// takeBack wipes the file of a dataset whose insertion failed. It first makes sure that the row does not
// exist: a commit that failed at its sync is complete in the log, and the next start would find it. The
// transaction that marks the file overwrites it.
func (db *DB) takeBack(ctx context.Context, id string) error {
	err := db.withReserve(ctx, func() error {
		return db.tx(ctx, func(tx *sql.Tx) error { return markWipe(ctx, tx, id) })
	})
	if err == nil {
		err = db.wipeRaw(ctx, id)
	}
	if err == nil {
		err = db.unmarkUpload(id)
	}
	return err
}

func (db *DB) insertDataset(ctx context.Context, d Dataset) error {
	j, err := encodeDataset(d)
	if err != nil {
		return err
	}
	defer db.w.revisions.made.Add(1)
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO datasets (id, name, file, sha256, bytes, row_count, created, read_ms, state,
				sample, simulated, source, problem, options, dialect, profiles, warnings, dropped, choice)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			d.ID, d.Name, d.File, d.SHA256, d.Bytes, d.Rows, millis(d.Created), d.ReadMS, d.State, d.Sample,
			d.Simulated, d.Source, j.problem, j.options, j.dialect, j.profiles, j.warnings, j.dropped, j.choice)
		return true, err
	})
}

// UpdateDataset stores everything except the identity of the upload (ID, File, SHA256, Bytes, Created).
// Only KeepColumns sets the state Kept, which is final.
func (db *DB) UpdateDataset(ctx context.Context, d Dataset) error {
	j, err := encodeDataset(d)
	if err != nil {
		return fmt.Errorf("update dataset: %w", err)
	}
	res, err := db.w.ExecContext(ctx, `
		UPDATE datasets SET name = ?, row_count = ?, read_ms = ?, state = ?, sample = ?, simulated = ?, source = ?,
			problem = ?, options = ?, dialect = ?, profiles = ?, warnings = ?, dropped = ?, choice = ?
		WHERE id = ? AND wiped IS NULL AND (state = 'kept') = (? = 'kept')`,
		d.Name, d.Rows, d.ReadMS, d.State, d.Sample, d.Simulated, d.Source,
		j.problem, j.options, j.dialect, j.profiles, j.warnings, j.dropped, j.choice, d.ID, d.State)
	if err != nil {
		return fmt.Errorf("update dataset: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 1 {
		return nil
	}
	if _, err := db.Dataset(ctx, d.ID); err != nil {
		return err
	}
	return usererr.New(usererr.Conflict, "The columns of this dataset were confirmed in the meantime. Load the page "+
		"again.")
}

const selectDataset = `
	SELECT id, name, file, sha256, bytes, row_count, created, read_ms, state, sample, simulated, source,
		problem, options, dialect, profiles, warnings, dropped, choice, left_out,
		(SELECT count(*) FROM runs WHERE runs.dataset = datasets.id)
	FROM datasets WHERE wiped IS NULL `

// Dataset returns one dataset, or usererr.NotFound, also for a dataset of which only models were kept.
func (db *DB) Dataset(ctx context.Context, id string) (Dataset, error) {
	revision := db.RecordsRevision()
	d, profiles, err := scanBut(db.r.QueryRowContext(ctx, selectDataset+`AND id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return d, noDataset(id)
	}
	if err == nil {
		d.Profiles, err = db.profiles(profiles, revision)
	}
	if err != nil {
		return d, fmt.Errorf("read dataset: %w", err)
	}
	return d, nil
}

// SameFile returns the oldest other dataset with the same bytes, and whether there is one.
func (db *DB) SameFile(ctx context.Context, d Dataset) (Dataset, bool, error) {
	same, err := scanDataset(db.r.QueryRowContext(ctx, selectDataset+`
		AND sha256 = ? AND id != ? ORDER BY created, id LIMIT 1`, d.SHA256, d.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return Dataset{}, false, nil
	}
	if err != nil {
		return Dataset{}, false, fmt.Errorf("find the same file: %w", err)
	}
	return same, true, nil
}

func noDataset(id string) error {
	return usererr.New(usererr.NotFound, "There is no dataset %q. It may have been deleted.", id)
}

// Datasets returns one page of the datasets, newest first, and their number.
// A limit of 0 means 50.
func (db *DB) Datasets(ctx context.Context, limit, offset int) ([]Dataset, int, error) {
	var total int
	if err := db.r.QueryRowContext(ctx, `SELECT count(*) FROM datasets WHERE wiped IS NULL`).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count datasets: %w", err)
	}
	rows, err := db.r.QueryContext(ctx, selectDataset+`ORDER BY created DESC, id DESC LIMIT ? OFFSET ?`, pageSize(limit),
		offset)
	list := []Dataset{}
	err = each(rows, err, "list datasets", func() error {
		d, err := scanDataset(rows)
		if err != nil {
			return err
		}
		list = append(list, d)
		return nil
	})
	return list, total, err
}

func pageSize(limit int) int {
	if limit <= 0 {
		return 50
	}
	return limit
}

// DeleteDataset removes the dataset, its file and every run made from it, and
// wipes what they held. Cancel its running jobs first.
func (db *DB) DeleteDataset(ctx context.Context, id string) error {
	err := db.deleting(ctx, func(tx *sql.Tx) error {
		err := eraseRow(ctx, tx, `DELETE FROM datasets WHERE id = ? AND wiped IS NULL`, id, noDataset(id))
		if err != nil {
			return err
		}
		return markWipe(ctx, tx, id)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(db.wipeRaw(ctx, id), db.scrub(ctx)); err != nil {
		return fmt.Errorf("wipe dataset: %w", err)
	}
	return nil
}

// erase deletes one row, and by cascade what belongs to it, and marks the database for scrubbing.
func (db *DB) erase(ctx context.Context, query, id string, missing error) error {
	return db.deleting(ctx, func(tx *sql.Tx) error { return eraseRow(ctx, tx, query, id, missing) })
}

func eraseRow(ctx context.Context, tx *sql.Tx, query, id string, missing error) error {
	res, err := tx.ExecContext(ctx, query, id)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return missing
	}
	return markScrub(ctx, tx)
}

// RawFile returns the uploaded file.
func (db *DB) RawFile(ctx context.Context, id string) ([]byte, error) {
	db.files.RLock()
	defer db.files.RUnlock()
	if err := db.hasRaw(ctx, id); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(db.RawPath(id))
	if err != nil {
		return nil, noUpload(id, err)
	}
	return b, nil
}

// MapRaw maps the uploaded file into memory. The bytes may be read until done is called, which returns an error if the
// file was wiped meanwhile, when what was read may be zeros: no lock is held, because reading a large file takes long.
func (db *DB) MapRaw(ctx context.Context, id string) (data []byte, done func() error, err error) {
	if err := db.hasRaw(ctx, id); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(db.RawPath(id))
	if err != nil {
		return nil, nil, noUpload(id, err)
	}
	defer f.Close()
	data, unmap, err := mapFile(f)
	if err != nil {
		return nil, nil, fmt.Errorf("read upload: %w", err)
	}
	return data, func() error {
		if err := unmap(); err != nil {
			return fmt.Errorf("read upload: %w", err)
		}
		db.files.RLock() // waits for a wiping that has begun
		defer db.files.RUnlock()
		if exists(db.RawPath(id)) {
			return nil
		}
		if err := db.hasRaw(context.WithoutCancel(ctx), id); err != nil {
			return err
		}
		return noUpload(id, fs.ErrNotExist)
	}, nil
}

// hasRaw returns an error for a dataset that has no uploaded file any more.
func (db *DB) hasRaw(ctx context.Context, id string) error {
	d, err := db.Dataset(ctx, id)
	if err != nil {
		return err
	}
	if d.State == Kept {
		return usererr.New(usererr.Conflict,
			"The uploaded file was wiped when its columns were confirmed. Only the kept "+
				"columns remain.")
	}
	return nil
}

// OpenRaw opens the uploaded file of a dataset, for readers that need only part of it. It may be wiped at
// any time.
func (db *DB) OpenRaw(id string) (*os.File, error) {
	f, err := os.Open(db.RawPath(id))
	if err != nil {
		return nil, noUpload(id, err)
	}
	return f, nil
}

// datasetJSON holds the JSON columns of a dataset.
type datasetJSON struct {
	problem, leftOut                                      *string // nil: NULL
	options, dialect, profiles, warnings, dropped, choice string
}

// problemJSON is usererr.Error without its cause.
type problemJSON struct {
	Code   usererr.Code    `json:"code"`
	Detail string          `json:"detail"`
	Fields []usererr.Field `json:"fields,omitempty"`
	Row    int             `json:"row,omitempty"`
	Column string          `json:"column,omitempty"`
}

func encodeDataset(d Dataset) (j datasetJSON, err error) {
	if p := d.Problem; p != nil {
		s, err := toJSON(problemJSON{p.Code, p.Detail, p.Fields, p.Row, p.Column})
		if err != nil {
			return j, err
		}
		j.problem = &s
	}
	for _, f := range []struct {
		dst *string
		v   any
	}{
		{&j.options, d.Options}, {&j.dialect, d.Dialect}, {&j.profiles, d.Profiles},
		{&j.warnings, d.Warnings}, {&j.dropped, d.Dropped}, {&j.choice, d.Choice},
	} {
		if *f.dst, err = toJSON(f.v); err != nil {
			return j, err
		}
	}
	return j, nil
}

// scanner is *sql.Row or *sql.Rows.
type scanner interface{ Scan(...any) error }

func scanDataset(s scanner) (d Dataset, err error) {
	d, profiles, err := scanBut(s)
	if err == nil {
		err = json.Unmarshal([]byte(profiles), &d.Profiles)
	}
	return d, err
}

// scanBut reads a dataset without decoding its profiles, which are most of it.
func scanBut(s scanner) (d Dataset, profiles string, err error) {
	var j datasetJSON
	var created sql.NullInt64
	err = s.Scan(&d.ID, &d.Name, &d.File, &d.SHA256, &d.Bytes, &d.Rows, &created, &d.ReadMS, &d.State,
		&d.Sample, &d.Simulated, &d.Source,
		&j.problem, &j.options, &j.dialect, &j.profiles, &j.warnings, &j.dropped, &j.choice, &j.leftOut, &d.Runs)
	if err != nil {
		return d, "", err
	}
	d.Created = fromMillis(created)
	if j.problem != nil {
		var p problemJSON
		if err := json.Unmarshal([]byte(*j.problem), &p); err != nil {
			return d, "", err
		}
		d.Problem = &usererr.Error{Code: p.Code, Detail: p.Detail, Fields: p.Fields, Row: p.Row, Column: p.Column}
	}
	if j.leftOut != nil {
		if err := json.Unmarshal([]byte(*j.leftOut), &d.LeftOut); err != nil {
			return d, "", err
		}
	}
	return d, j.profiles, errors.Join(
		json.Unmarshal([]byte(j.options), &d.Options), json.Unmarshal([]byte(j.dialect), &d.Dialect),
		json.Unmarshal([]byte(j.warnings), &d.Warnings), json.Unmarshal([]byte(j.dropped), &d.Dropped),
		json.Unmarshal([]byte(j.choice), &d.Choice))
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
)

// revisions count commits since the folder was opened, so that answers can tell whether anything changed.
// Nobody else writes, because the folder is locked. They increase after a commit, also after one that
// failed but may have taken effect. A reader that takes the number first and the records afterwards
// therefore never combines a new number with old records.
type revisions struct {
	all     atomic.Uint64
	records atomic.Uint64
	made    atomic.Uint64 // datasets
}

// Revision changes with every change of the store.
func (db *DB) Revision() uint64 { return db.w.revisions.all.Load() }

// RecordsRevision changes with every change except those of a single record that nothing else refers to
// yet: a new dataset, the start and end of a run (unless its page and that of another run refer to each
// other), and the units of a study. What it says about a record is valid only together with that record's
// status.
func (db *DB) RecordsRevision() uint64 { return db.w.revisions.records.Load() }

// DatasetsRevision is RecordsRevision for lists of datasets: it also changes with a new dataset.
func (db *DB) DatasetsRevision() uint64 { return db.RecordsRevision() + db.w.revisions.made.Load() }

// changed counts a commit. The cache of results is emptied after the revision has changed, so that no
// result read earlier can enter it again.
func (w *writer) changed(alone bool) {
	w.revisions.all.Add(1)
	if !alone {
		w.revisions.records.Add(1)
		w.results.drop()
	}
}

// tx runs fn in one immediate transaction.
func (db *DB) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	return db.txOn(ctx, func(tx *sql.Tx) (alone bool, err error) { return false, fn(tx) })
}

// txOn is tx for a change of one record; fn says whether nothing else refers to it.
func (db *DB) txOn(ctx context.Context, fn func(*sql.Tx) (alone bool, err error)) error {
	tx, err := db.w.BeginTx(ctx, nil)
	if err != nil {
		return noSpace(db.dir, err)
	}
	defer tx.Rollback()
	// The end of the context rolls the transaction back; the error must say so and nothing else.
	cancelled := func(err error) error {
		if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
			return ctx.Err()
		}
		return noSpace(db.dir, err)
	}
	alone, err := fn(tx)
	if err != nil {
		return cancelled(err)
	}
	err = tx.Commit()
	db.w.changed(alone)
	return cancelled(err)
}

// runAlone reports whether a run has neither a parent nor children.
func runAlone(ctx context.Context, tx *sql.Tx, id string) (alone bool, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM run_parents WHERE run = ?1 OR parent = ?1)
			AND NOT EXISTS (SELECT 1 FROM run_specs WHERE run = ?1 AND json_extract(spec, '$.review') IS NOT NULL)`,
		id).Scan(&alone)
	return alone, err
}

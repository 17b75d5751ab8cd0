package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
)

// revisions count commits since the folder was opened, for answers that say whether
// anything has changed. Nobody else writes: the folder is locked. They move on after a
// commit, also after one that failed and may have happened all the same. So who reads a
// number first and the records after it never has new numbers with old records.
type revisions struct {
	all     atomic.Uint64
	records atomic.Uint64
	made    atomic.Uint64 // datasets
}

// Revision is another number after every change of anything.
func (db *DB) Revision() uint64 { return db.w.revisions.all.Load() }

// RecordsRevision is another number after every change but those that concern one record
// alone, which nothing else names yet: a dataset that is made, a run that is made, begins or
// finishes, unless its page and that of another run name each other, and the units of a
// study. What it tells of a record holds only together with the status of that record.
func (db *DB) RecordsRevision() uint64 { return db.w.revisions.records.Load() }

// DatasetsRevision is RecordsRevision for what lists datasets: another number after a new
// one, too.
func (db *DB) DatasetsRevision() uint64 { return db.RecordsRevision() + db.w.revisions.made.Load() }

// changed notes a commit. Results that are at hand go after the revision has moved: then none that
// was read before is kept any more.
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

// txOn is tx for a change of one record, which says whether it concerns that one alone.
func (db *DB) txOn(ctx context.Context, fn func(*sql.Tx) (alone bool, err error)) error {
	tx, err := db.w.BeginTx(ctx, nil)
	if err != nil {
		return noSpace(db.dir, err)
	}
	defer tx.Rollback()
	// The end of the context rolls the transaction back; what comes then says that alone.
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

// runAlone reports whether no other run was made of a run, or it of another.
func runAlone(ctx context.Context, tx *sql.Tx, id string) (alone bool, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM run_parents WHERE run = ?1 OR parent = ?1)
			AND NOT EXISTS (SELECT 1 FROM run_specs WHERE run = ?1 AND json_extract(spec, '$.review') IS NOT NULL)`,
		id).Scan(&alone)
	return alone, err
}

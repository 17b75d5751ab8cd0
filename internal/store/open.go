package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Open opens the data folder, creating it if necessary, checks the database, updates its schema and
// cleans up after a crash: unfinished uploads and uploads whose deletion was committed are wiped; runs
// that never ended become interrupted. Uploads that the database does not list are set aside. Notify
// reports what was found.
func Open(ctx context.Context, dir string, now func() time.Time) (*DB, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	db := &DB{dir: dir, now: now, lock: lock}
	db.inspector.damaged = make(chan error, 1)
	err = db.start(ctx)
	for isFull(dir, err) && takeBallast(dir) { // SQLite needs some space to open a database
		db.disconnect()
		err = db.start(ctx)
	}
	if err != nil {
		db.Close()
		return nil, noSpace(dir, err)
	}
	return db, nil
}

func (db *DB) start(ctx context.Context) error {
	file := filepath.Join(db.dir, dbName)
	if err := privateFile(file); err != nil {
		return err
	}
	w, err := sql.Open("sqlite", writerDSN(file))
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	db.w = &writer{DB: w, dir: db.dir}
	db.w.SetMaxOpenConns(1)
	later, err := db.inspect(ctx)
	if err != nil {
		return explainOpen(db.dir, err)
	}
	if err := db.refuseBlank(ctx); err != nil {
		return explainOpen(db.dir, err)
	}
	if err := migrate(ctx, w); err != nil {
		return explainOpen(db.dir, err)
	}
	if db.r, err = sql.Open("sqlite", readerDSN(file)); err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	db.r.SetMaxOpenConns(readers)
	db.r.SetMaxIdleConns(readers)
	if err := db.recover(ctx); err != nil {
		return err
	}
	if err := db.emptyLog(ctx); err != nil {
		return err
	}
	db.reserve()
	db.startScrubber()
	if later {
		db.startInspector()
	}
	return db.resumeScrub(ctx)
}

// readers is the largest number of connections for reading.
const readers = 8

// recover cleans up after a crash.
func (db *DB) recover(ctx context.Context) error {
	if err := db.Interrupt(ctx); err != nil {
		return err
	}
	if err := db.settleUploads(ctx); err != nil {
		return fmt.Errorf("recover files: %w", err)
	}
	return nil
}

// Interrupt marks everything queued or running as interrupted: at the start what a crash left, at the end
// what did not stop in time.
func (db *DB) Interrupt(ctx context.Context) error {
	return db.withReserve(ctx, func() error {
		if err := db.interruptStudies(ctx); err != nil {
			return fmt.Errorf("interrupt studies: %w", err)
		}
		if err := db.interruptBootstraps(ctx); err != nil {
			return fmt.Errorf("interrupt bootstraps: %w", err)
		}
		if err := db.interruptRuns(ctx); err != nil {
			return fmt.Errorf("interrupt runs: %w", err)
		}
		return nil
	})
}

// Close writes the log back into the database and unlocks the folder.
func (db *DB) Close() error {
	return errors.Join(db.disconnect(), db.lock.Close())
}

func (db *DB) disconnect() error {
	db.inspector.stop()
	db.scrubs.stop()
	var errList []error
	if db.r != nil {
		errList = append(errList, db.r.Close())
	}
	if db.w != nil { // the last connection checkpoints and removes the log
		errList = append(errList, db.w.Close())
	}
	return errors.Join(errList...)
}

// makeFolder creates the data folder and its parts with private modes. It refuses a folder with other
// files, so that a mistyped -data cannot change the modes of somebody's documents.
func makeFolder(dir string) error {
	if err := refuseWithoutDatabase(dir); err != nil {
		return err
	}
	if err := checkForeign(dir); err != nil {
		return err
	}
	return makeDirs(dir)
}

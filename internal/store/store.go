// Package store keeps datasets and runs in one SQLite file.
//
// It is opinionated about three things. Durability: one writer connection with
// synchronous FULL, so what was answered with success is there after a power
// cut. Privacy: the folder is 0700, every file 0600, and what is deleted is
// nowhere in any file afterwards. Recovery: a kill at any moment leaves either
// the state before or the state after; Open sweeps the rest, and wipes of the
// uploads only what the database names.
//
// Conventions: a method that changes something is one transaction; files move
// into place before the row that names them is committed, and are wiped after
// the row that named them is gone, so that a crash leaves at most a file
// without a row, never a row without its file. Errors a user can cause are
// errs.Error; all others are wrapped as they come.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// DB is an open data folder. Its methods may be called from any goroutine.
type DB struct {
	dir  string
	now  func() time.Time
	lock *os.File // held while the folder is open

	w *writer // one connection: writers queue here, never in SQLITE_BUSY
	r *sql.DB // read pool, query_only

	files      sync.RWMutex // readers of raw files against the wiping of one
	scrubs     scrubber
	inspector  inspector
	notices    notices
	unreserved bool // there was no space for the reserve; the scrubber's, after Open
}

// Open opens the data folder, makes it when it is missing, checks the database,
// brings the schema up to date and clears what a crash left: unfinished uploads
// are wiped, and uploads whose deletion was committed; runs that never ended
// become interrupted. Uploads that the database does not know are set aside.
// Tell says what was found.
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
	db.w = &writer{w, db.dir}
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

// readers bounds the read pool.
const readers = 8

// Close writes the log back into the database and releases the folder.
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

// Dir returns the data folder's absolute path.
func (db *DB) Dir() string { return db.dir }

// writerDSN and readerDSN carry the pragmas, because an Exec would reach one
// pooled connection only. Temporary tables and sorters stay in memory (VACUUM
// excepted, see there): nothing may reach the system's temp folder.
func writerDSN(file string) string {
	return dsn(file, "journal_mode(WAL)", "synchronous(FULL)")
}

func readerDSN(file string) string { return dsn(file, "query_only(ON)") }

func dsn(file string, pragmas ...string) string {
	q := url.Values{"_txlock": {"immediate"}}
	q["_pragma"] = append([]string{"busy_timeout(5000)", "foreign_keys(ON)",
		"secure_delete(ON)", "temp_store(MEMORY)"}, pragmas...)
	u := url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}
	return u.String()
}

// tx runs fn in one immediate transaction.
func (db *DB) tx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := db.w.BeginTx(ctx, nil)
	if err != nil {
		return noSpace(db.dir, err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return noSpace(db.dir, err)
	}
	return noSpace(db.dir, tx.Commit())
}

// idEncoding is Crockford's base 32 in lower case: digits sort before letters,
// and no letter is mistaken for a digit.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns prefix and 18 characters: milliseconds since 1970 in 48 bits,
// then 42 random bits. Ids sort by the time they were made.
func (db *DB) NewID(prefix string) string {
	var b [15]byte
	binary.BigEndian.PutUint64(b[:], uint64(db.now().UnixMilli())<<16)
	rand.Read(b[6:])
	return prefix + idEncoding.EncodeToString(b[:])[:18]
}

// validID reports whether id can be part of a file name.
func validID(id string) bool {
	for _, c := range []byte(id) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

func millis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func fromMillis(v sql.NullInt64) time.Time {
	if !v.Valid {
		return time.Time{}
	}
	return time.UnixMilli(v.Int64).UTC()
}

func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

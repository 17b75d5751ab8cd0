// Package store keeps datasets and runs in one SQLite file.
//
// Durability: there is one connection for writing, with synchronous FULL, so whatever was answered with
// success survives a power cut. Privacy: the folder has mode 0700, every file 0600, and deleted content
// is in no file afterwards. Recovery: after a kill at any moment either the state before a change or the
// state after it is found; Open cleans up the rest, and wipes only those uploads that the database names.
//
// Conventions: a method that changes something is one transaction. A file is moved into place before the
// row that names it is committed, and wiped after the row that named it is deleted; so a crash can leave
// a file without a row, but never a row without its file. Errors that a user can cause are usererr.Error;
// all others are wrapped.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// DB is an open data folder. Its methods are safe for concurrent use.
type DB struct {
	dir  string
	now  func() time.Time
	lock *os.File // held while the folder is open

	w *writer // a single connection: writers wait here and never see SQLITE_BUSY
	r *sql.DB // connections for reading, with query_only

	files      sync.RWMutex // held by readers of raw files, and exclusively while one is wiped
	scrubs     scrubber
	inspector  inspector
	notices    notices
	unreserved bool // the reserve could not be written; used by the scrubber after Open
}

// Dir returns the data folder's absolute path.
func (db *DB) Dir() string { return db.dir }

// writerDSN and readerDSN contain the pragmas, because an Exec would reach only one pooled connection.
// Temporary tables and sorters stay in memory (except those of VACUUM): nothing may be written to the
// system's temporary folder.
func writerDSN(file string) string {
	return dsn(file, "journal_mode(WAL)", "synchronous(FULL)")
}

func readerDSN(file string) string { return dsn(file, "query_only(ON)") }

func dsn(file string, pragmas ...string) string {
	q := url.Values{"_txlock": {"immediate"}}
	q["_pragma"] = append([]string{"busy_timeout(5000)", "foreign_keys(ON)",
		"secure_delete(ON)", "temp_store(MEMORY)"}, pragmas...)
	u := url.URL{Scheme: "file", Path: uriPath(file), RawQuery: q.Encode()}
	return u.String()
}

// idEncoding is Crockford's base 32 in lower case: digits sort before letters,
// and no letter is mistaken for a digit.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns prefix and 18 characters: milliseconds since 1970 in 48 bits, then 42 random bits. Ids
// sort by creation time.
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

// each calls scan for each row of a query. what describes the query in errors.
func each(rows *sql.Rows, err error, what string, scan func() error) error {
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			err = scan()
		}
		if err == nil {
			err = rows.Err()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// queryTexts returns the single column of a query.
func queryTexts(ctx context.Context, q *sql.DB, query string, args ...any) (all []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	err = each(rows, err, "read texts", func() error {
		var s string
		if err := rows.Scan(&s); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// RawPath returns the path of the dataset's uploaded file while State is not Kept. It may be wiped at any
// time; RawFile reads it safely.
func (db *DB) RawPath(id string) string {
	if !validID(id) {
		id = "no-such-id"
	}
	return filepath.Join(db.dir, rawDir, id+rawExt)
}

// reserve writes the reserve if there is space; otherwise the scrubber tries again.
func (db *DB) reserve() {
	err := layBallast(db.dir)
	if err != nil && !db.unreserved {
		db.notice("The data folder " + db.dir +
			" has no space left for the reserve that deletions need on a full disk. Free some space.")
	}
	db.unreserved = err != nil
}

// withReserve runs a small change and, if the disk is full, repeats it after freeing space from the
// reserve and the log.
func (db *DB) withReserve(ctx context.Context, change func() error) error {
	err := change()
	for more := true; more && isFull(db.dir, err); err = change() {
		more = takeBallast(db.dir)
		var busy, logged, moved int
		// if it failed, the change will fail too and say so
		_ = db.w.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &moved)
	}
	return err
}

// deleting runs a transaction that deletes, even on a full disk.
func (db *DB) deleting(ctx context.Context, fn func(*sql.Tx) error) error {
	err := db.withReserve(ctx, func() error { return db.tx(ctx, fn) })
	if !isFull(db.dir, err) {
		return err
	}
	// Overwriting freed pages writes them to the log, so a large deletion needs its own size again.
	// Without overwriting, the pages keep their content until the VACUUM that fn marks, which is needed
	// in any case.
	if _, err := db.w.ExecContext(ctx, `PRAGMA secure_delete = FAST`); err != nil {
		return err
	}
	defer db.w.ExecContext(context.WithoutCancel(ctx), `PRAGMA secure_delete = ON`)
	return db.tx(ctx, fn)
}

// notices are sentences for the log: what opening the folder found, and what background work finds later.
// They contain ids and folders, never names or values of the user's.
type notices struct {
	mu     sync.Mutex
	notify func(sentence string) // nil until Notify was called
	waited []string
}

// Notify passes all notices, earlier ones and later ones, to a function, which must not call back.
func (db *DB) Notify(tell func(sentence string)) {
	n := &db.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notify = tell
	for _, s := range n.waited {
		tell(s)
	}
	n.waited = nil
}

func (db *DB) notice(sentence string) {
	n := &db.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.notify == nil {
		n.waited = append(n.waited, sentence)
		return
	}
	n.notify(sentence)
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"taper/internal/engine/usererr"
)

// On a full disk even a deletion needs space: SQLite first writes the changed pages to its log, and the
// log's index takes 32 KB at the start. So a file in the data folder reserves some megabytes. When there
// is no space, a start, a deletion or the recording of a run's end takes part of it, leaving the rest for
// the next one. It is written again when there is space.

// ballastBytes is the size of the reserve: enough for a start and for deleting records of up to this
// size.
const (
	ballastBytes = 8 << 20
	ballastStep  = 1 << 20
)

// again is the time between attempts to write the reserve, or to run a postponed VACUUM, after there was
// no space.
const again = time.Minute

// writer is the only connection that writes. It turns errors about a full disk into user errors, so that
// callers need not.
type writer struct {
	*sql.DB
	dir       string
	revisions revisions
	results   results
}

func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	res, err := w.DB.ExecContext(ctx, query, args...)
	w.changed(false)
	return res, noSpace(w.dir, err)
}

// noSpace turns an error caused by a full disk or an exhausted quota into a user error; other errors are
// unchanged.
func noSpace(dir string, err error) error {
	if err == nil || usererr.Is(err, usererr.Full) || !isFull(dir, err) {
		return err
	}
	return &usererr.Error{Code: usererr.Full, Cause: err,
		Detail: "The disk of the data folder is full, or a quota is used up, " +
			"so nothing was stored. Free some space and try again. Datasets and runs can still be deleted."}
}

// noSpaceFor is noSpace for a file named by the user, which may be on another disk.
func noSpaceFor(file string, err error) error {
	if usererr.Is(err, usererr.Full) || !isFull("", err) {
		return err
	}
	return &usererr.Error{Code: usererr.Full, Cause: err,
		Detail: fmt.Sprintf("The disk of %s is full, or a quota is used up. "+
			"Free some space there, or choose another place.", file)}
}

// isFull reports whether err means that the disk of dir is full.
func isFull(dir string, err error) bool {
	if usererr.Is(err, usererr.Full) || saysFull(err) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return true
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		// SQLite reports an exhausted quota, and a lack of space for the log's index or a new file, with
		// codes that can also mean a broken disk; so we try to write a file.
		return dir != "" && !takes(dir)
	}
	return false
}

// takes tries whether a small file can be written.
func takes(dir string) bool {
	f, err := tempFile(dir)
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
	}
	return !saysFull(err)
}

// layBallast writes the reserve unless it exists. It requires as much free space again, because the last
// space of a disk should not be reserved.
func layBallast(dir string) error {
	file := filepath.Join(dir, ballastName)
	if info, err := os.Lstat(file); err == nil && info.Size() >= ballastBytes {
		return nil
	}
	if free, known := freeBytes(dir); known && free < 2*ballastBytes {
		return errDiskFull
	}
	// Random bytes, because a compressing file system would not allocate blocks for zeros.
	noise := make([]byte, ballastStep)
	rand.NewChaCha8([32]byte{}).Read(noise)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for range ballastBytes / len(noise) {
		if err == nil {
			_, err = f.Write(noise)
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// takeBallast frees part of the reserve and reports whether there was any.
func takeBallast(dir string) bool {
	file := filepath.Join(dir, ballastName)
	info, err := os.Lstat(file)
	if err != nil || info.Size() == 0 {
		return false
	}
	return os.Truncate(file, max(0, info.Size()-ballastStep)) == nil
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"taper/internal/engine/usererr"
)

// On a full disk even a deletion needs space: SQLite writes the changed pages
// to its log first, and the log's index takes 32 KB at the start. So a file of
// the data folder holds some megabytes in reserve. A start, a deletion or the
// record of how a run ended takes from it when there is no space, so much at a
// time that something is left for the next. It is written again when there is
// space.

// ballastBytes is the size of the reserve: a start, and the deletion of what
// takes up to this in the database.
const (
	ballastBytes = 8 << 20
	ballastStep  = 1 << 20
)

// again is the time between two tries to write the reserve, and to write the
// database again, after there was no space.
const again = time.Minute

// writer is the one connection that writes. Its errors about a full disk are
// sentences, so that whoever ends a run or answers a request need not know.
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

// noSpace turns an error that means a full disk or a used-up quota into the
// sentence about it; any other error stays as it is.
func noSpace(dir string, err error) error {
	if err == nil || usererr.Is(err, usererr.Full) || !isFull(dir, err) {
		return err
	}
	return &usererr.Error{Code: usererr.Full, Cause: err,
		Detail: "The disk of the data folder is full, or a quota is used up, " +
			"so nothing was stored. Free some space and try again. Datasets and runs can still be deleted."}
}

// noSpaceFor is noSpace for a file that the user named, which may lie on
// another disk.
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
	if usererr.Is(err, usererr.Full) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
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
		// SQLite reports a used-up quota, and no space for the log's index or for
		// a new file, by these codes, which mean a broken disk, too: a try tells.
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
	return !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT)
}

// layBallast writes the reserve unless it is there. It leaves as much again
// free: the last space of a disk is not for a reserve.
func layBallast(dir string) error {
	file := filepath.Join(dir, ballastName)
	if info, err := os.Lstat(file); err == nil && info.Size() >= ballastBytes {
		return nil
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err == nil && uint64(disk.Bavail)*uint64(disk.Bsize) < 2*ballastBytes {
		return syscall.ENOSPC
	}
	// Noise, because a file system that compresses would keep no block for zeros.
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

// takeBallast gives a part of the reserve back to the disk and reports whether
// there was any.
func takeBallast(dir string) bool {
	file := filepath.Join(dir, ballastName)
	info, err := os.Lstat(file)
	if err != nil || info.Size() == 0 {
		return false
	}
	return os.Truncate(file, max(0, info.Size()-ballastStep)) == nil
}

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"taper/internal/engine/usererr"
)

// A backup that is killed leaves nothing behind. Its file gets a name only when it is complete. Its
// snapshot needs a name for SQLite; it is locked while the program runs, and a snapshot without a lock is
// wiped by the next backup, the next start, or a running server within a minute.

const (
	snapshotPrefix = "backup-"
	journalExt     = "-journal"
)

// snapshotFile creates the file of a snapshot, locked until it is closed.
func snapshotFile(dir string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Join(dir, uploadDir), snapshotPrefix+"*"+partExt) // mode 0600
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, true); err != nil {
			return nil, errors.Join(err, f.Close(), wipeFile(f.Name()))
		}
		if exists(f.Name()) { // it was not wiped before it was locked
			return f, nil
		}
		f.Close()
	}
}

// held reports whether a program has locked a snapshot.
func held(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return lockFile(f, false) != nil
}

// sweepSnapshots wipes the snapshots that nobody has locked, and SQLite's journals of them. It counts
// those that were not empty.
func sweepSnapshots(dir string) (swept int, err error) {
	dir = filepath.Join(dir, uploadDir)
	for _, ext := range []string{partExt + journalExt, partExt} {
		stems, err := filesWith(dir, ext)
		if err != nil {
			return swept, err
		}
		for _, stem := range stems {
			if !strings.HasPrefix(stem, snapshotPrefix) || held(filepath.Join(dir, stem+partExt)) {
				continue
			}
			n, err := sweep(filepath.Join(dir, stem+ext))
			if swept += n; err != nil {
				return swept, err
			}
		}
	}
	return swept, nil
}

// sweep wipes a file and returns 1 if it was not empty.
func sweep(file string) (int, error) {
	at, err := os.Stat(file)
	held := 0
	if err == nil && at.Size() > 0 {
		held = 1
	}
	return held, wipeFile(file)
}

// wipeSnapshot wipes a snapshot, and the journal that SQLite leaves when it could not finish.
func wipeSnapshot(file string) error {
	return errors.Join(wipeFile(file+journalExt), wipeFile(file))
}

// giveName gives a nameless file its name, unless that name exists.
func giveName(f *os.File, name string) error {
	err := linkName(f, name)
	if errors.Is(err, fs.ErrExist) {
		return usererr.New(usererr.Conflict, "%s exists already. Choose another name for the backup.", name)
	}
	return err
}

// linkAndRemove gives a file another name, unless that name exists.
func linkAndRemove(file, name string) error {
	if err := os.Link(file, name); err != nil {
		return err
	}
	return os.Remove(file)
}

// dropNameless closes a nameless file that gets no name.
func dropNameless(f *os.File) {
	f.Close()
	if f.Name() != "" {
		os.Remove(f.Name())
	}
}

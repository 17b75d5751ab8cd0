package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"taper/internal/engine/usererr"
)

// A backup that is killed leaves nothing. Its file has no name until it is whole. Its
// snapshot must have one for SQLite, and is locked while its program lives: one that
// nobody holds is wiped by the next backup, by the next start, and by a server at work
// within a minute.

const (
	snapshotPrefix = "backup-"
	journalExt     = "-journal"
)

// snapshotFile makes the file of a snapshot, locked until it is closed.
func snapshotFile(dir string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Join(dir, uploadDir), snapshotPrefix+"*"+partExt) // 0600
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return nil, errors.Join(err, f.Close(), wipeFile(f.Name()))
		}
		if exists(f.Name()) { // nobody swept it before it was locked
			return f, nil
		}
		f.Close()
	}
}

// held reports whether a program holds a snapshot.
func held(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// sweepSnapshots wipes the snapshots that nobody holds, with SQLite's journals of them, and
// counts those that held something.
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

// sweep wipes a file, and returns 1 where it held something.
func sweep(file string) (int, error) {
	at, err := os.Stat(file)
	held := 0
	if err == nil && at.Size() > 0 {
		held = 1
	}
	return held, wipeFile(file)
}

// wipeSnapshot wipes a snapshot, and the journal that SQLite leaves where it could not
// write all of it.
func wipeSnapshot(file string) error {
	return errors.Join(wipeFile(file+journalExt), wipeFile(file))
}

// nameless is a new file of a folder, mode 0600, that has no name yet. Where the file
// system cannot have such files it gets one that says what it is.
func nameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EINVAL) {
		return os.CreateTemp(dir, ".taper-backup-*")
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), ""), nil
}

// giveName gives a file of nameless its name, unless another has it.
func giveName(f *os.File, name string) error {
	var err error
	if f.Name() == "" {
		err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, name,
			unix.AT_SYMLINK_FOLLOW)
	} else if err = os.Link(f.Name(), name); err == nil {
		err = os.Remove(f.Name())
	}
	if errors.Is(err, fs.ErrExist) {
		return usererr.New(usererr.Conflict, "%s exists already. Choose another name for the backup.", name)
	}
	return err
}

// dropNameless closes a file of nameless that gets no name.
func dropNameless(f *os.File) {
	f.Close()
	if f.Name() != "" {
		os.Remove(f.Name())
	}
}

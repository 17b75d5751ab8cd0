package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"taper/internal/engine/usererr"
)

// Contents of a data folder. Taper touches nothing else in it.
const (
	dbName      = "taper.db"      // together with its -wal and -shm
	lockName    = "taper.lock"    // locked while a program has the folder open; holds a server’s address
	ballastName = "taper.ballast" // reserved space for a full disk
	rawDir      = "raw"           // uploaded files: <dataset id>.raw
	uploadDir   = "uploads"       // unfinished uploads and other temporary files: *.part
	orphanDir   = "set-aside"     // uploads that the database does not list
	rawExt      = ".raw"
	partExt     = ".part"
)

func makeDirs(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, rawDir), filepath.Join(dir, uploadDir)} {
		if err := privateDir(d); err != nil {
			return refused(err, "The data folder %s cannot be created or written. Change its permissions, or name "+
				"another folder.", dir)
		}
	}
	return nil
}

func checkForeign(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, dbName)); err == nil {
		return nil
	}
	other, err := foreign(dir)
	if err != nil {
		return refused(err, "The data folder %s cannot be read. Name a folder, or change its permissions.", dir)
	}
	if other != "" {
		return usererr.New(usererr.Conflict, "The folder %s holds other files (%s) and no %s. Name an empty folder.", dir,
			other,
			dbName)
	}
	return nil
}

// foreign returns the name of an entry of dir that is not Taper's, or "".
func foreign(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		switch name := e.Name(); name {
		case lockName, ballastName, rawDir, uploadDir, orphanDir, "lost+found":
		case dbName: // an empty one contains no data
			if info, err := e.Info(); err != nil || info.Size() > 0 {
				return name, err
			}
		default:
			if !strings.HasPrefix(name, ".") {
				return name, nil
			}
		}
	}
	return "", nil
}

func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return restrict(dir) // for an existing folder, or an unusual umask
}

// privateFile creates an empty file with mode 0600, or restricts an existing one, before SQLite opens it;
// -wal and -shm inherit the mode.
func privateFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return refused(err, "The data folder %s cannot be written. Change its permissions, or name another folder.",
			filepath.Dir(file))
	}
	defer f.Close()
	return f.Chmod(0o600)
}

// ErrInUse is the cause of the error for a folder that another program has open.
var ErrInUse = errors.New("folder in use")

// lockFolder locks the folder for this program. The kernel releases the lock when the process ends for
// any reason.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, refused(err, "The data folder %s cannot be written. Change its permissions, or name "+
			"another folder.", dir)
	}
	if err := lockFile(f, false); err != nil {
		f.Close()
		return nil, refused(errors.Join(ErrInUse, err),
			"The data folder %s is in use by another Taper. Stop that one, or name another folder.", dir)
	}
	// Without the address of a server that was killed.
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, refused(err, "The data folder %s cannot be written. Change its permissions, or name "+
			"another folder.", dir)
	}
	return f, nil
}

// Announce writes the address at which this program serves into the folder, for commands that find the folder
// in use (Server). It goes with the lock.
func (db *DB) Announce(address string) error {
	if _, err := db.lock.WriteAt([]byte(address), 0); err != nil {
		return noSpace(db.dir, fmt.Errorf("write the address: %w", err))
	}
	return nil
}

// Server is the address of the server that has a folder open, or "" if a command has. The lock covers none of the
// file’s bytes, so others can read them on Windows, too.
func Server(dir string) string {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return ""
	}
	defer f.Close()
	var text [256]byte
	n, _ := f.Read(text[:])
	if _, err := netip.ParseAddrPort(string(text[:n])); err != nil {
		return ""
	}
	return string(text[:n])
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// filesWith returns the base names of the regular files in dir with an extension; none if dir does not
// exist.
func filesWith(dir, ext string) (stems []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ext); ok && e.Type().IsRegular() {
			stems = append(stems, stem)
		}
	}
	return stems, nil
}

func tempFile(dir string) (*os.File, error) {
	return os.CreateTemp(filepath.Join(dir, uploadDir), "*"+partExt) // mode 0600
}

// refused is a user error with a cause, which is logged and not shown.
func refused(cause error, format string, args ...any) error {
	if full := noSpace("", cause); usererr.Is(full, usererr.Full) {
		return full
	}
	e := usererr.New(usererr.Conflict, format, args...)
	e.Cause = cause
	return e
}

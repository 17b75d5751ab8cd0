//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks an open file for this process. The kernel releases the lock when the process
// ends for any reason.
func lockFile(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}

// errDiskFull is the error of a disk without space.
const errDiskFull = syscall.ENOSPC

// saysFull reports whether an error means that the disk is full or a quota is exhausted.
func saysFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// freeBytes is the free space for this user on the disk of a folder; false if unknown.
func freeBytes(dir string) (uint64, bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return uint64(disk.Bavail) * uint64(disk.Bsize), true
}

// restrict allows only the owner to access a folder.
func restrict(dir string) error { return os.Chmod(dir, 0o700) }

// syncDir makes a rename or removal in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// uriPath is a path in the form for SQLite's URI.
func uriPath(file string) string { return file }

// wipeOpen wipes a file that is open.
func wipeOpen(f *os.File, wipe func(name string) error) error {
	return errors.Join(wipe(f.Name()), f.Close())
}

// renameOpen renames a file that is open.
func renameOpen(f *os.File, name string) error { return os.Rename(f.Name(), name) }

package store

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Differences of Windows: there are no files without a name and no sync of a folder, an open
// file can be neither renamed nor removed, and permissions are access control lists.
// docs/storage.md describes the consequences.

// lockPlace is far beyond the end of any file: a lock on Windows prevents others from reading
// the range it covers, and SQLite itself uses a file that is locked here.
const lockPlace = 0x7fffffff

// lockFile locks an open file for this process. The system releases the lock when the process
// ends for any reason.
func lockFile(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockPlace})
}

// errDiskFull is the error of a disk without space.
const errDiskFull = windows.ERROR_DISK_FULL

// saysFull reports whether an error means that the disk is full or a quota is exhausted.
func saysFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// freeBytes is the free space for this user on the disk of a folder; false if unknown.
func freeBytes(dir string) (uint64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err == nil
}

// restrict allows only the user, the system and administrators to access a folder; its files
// inherit that. Permissions inherited from the parent folder are removed.
func restrict(dir string) error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	rights, err := windows.SecurityDescriptorFromString(
		"D:P(A;OICI;FA;;;" + user.User.Sid.String() + ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
	if err != nil {
		return err
	}
	list, _, err := rights.DACL()
	if err != nil {
		return err
	}
	err = windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
	if err != nil {
		return &os.PathError{Op: "restrict", Path: dir, Err: err}
	}
	return nil
}

// syncDir does nothing: NTFS journals names itself and has no call that waits for it.
func syncDir(string) error { return nil }

// uriPath is a path in the form for SQLite's URI: file:///C:/….
func uriPath(file string) string { return "/" + filepath.ToSlash(file) }

// wipeOpen closes a file before wiping it.
func wipeOpen(f *os.File, wipe func(name string) error) error {
	return errors.Join(f.Close(), wipe(f.Name()))
}

// renameOpen closes a file before renaming it.
func renameOpen(f *os.File, name string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

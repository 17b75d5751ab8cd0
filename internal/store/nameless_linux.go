package store

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nameless creates a file in a folder, mode 0600, without a name. On file systems without such
// files it gets a name that says what it is.
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

// linkName names a file of nameless; an error if the name exists.
func linkName(f *os.File, name string) error {
	if f.Name() == "" {
		return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, name,
			unix.AT_SYMLINK_FOLLOW)
	}
	return linkAndRemove(f.Name(), name)
}

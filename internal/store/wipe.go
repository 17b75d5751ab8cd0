package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// wipeFile overwrites a file with zeros, syncs it, and removes it. A file that does not exist counts as
// wiped.
//
// This removes the bytes from the file as the file system shows it. Copies in a journal, an SSD's spare
// blocks or a backup are out of a program's reach.
func wipeFile(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(zero(f), f.Sync())
	if isFull("", err) {
		// A copy-on-write file system allocates new blocks for the zeros, which would not overwrite the
		// old ones either, so the file is only removed.
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}

func zero(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	buf := make([]byte, 1<<20)
	for left := info.Size(); left > 0; {
		n, err := f.Write(buf[:min(left, int64(len(buf)))])
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

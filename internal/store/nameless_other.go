//go:build !linux

package store

import "os"

// nameless is a new file of a folder that is not whole yet, which its name says: this system has no files without one.
func nameless(dir string) (*os.File, error) { return os.CreateTemp(dir, ".taper-backup-*") }

// linkName gives a file of nameless its name; an error where another has it. Windows takes no name from an open file.
func linkName(f *os.File, name string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return linkAndRemove(f.Name(), name)
}

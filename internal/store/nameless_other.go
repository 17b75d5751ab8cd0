//go:build !linux

package store

import "os"

// nameless creates a file in a folder, with a name that marks it as incomplete, because this
// system has no files without a name.
func nameless(dir string) (*os.File, error) { return os.CreateTemp(dir, ".taper-backup-*") }

// linkName names a file of nameless; an error if the name exists. On Windows the file must be
// closed first.
func linkName(f *os.File, name string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return linkAndRemove(f.Name(), name)
}

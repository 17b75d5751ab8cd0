//go:build !linux

package store

import (
	"errors"
	"io"
	"os"
)

// CanMap reports whether large files and columns are mapped into memory on this system. Elsewhere than on Linux
// space on the disk cannot be taken beforehand in the same way, and a full disk would end the program.
const CanMap = false

// mapFile reads a file.
func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	data, err = io.ReadAll(f)
	return data, func() error { return nil }, err
}

// Room is where the columns of a large table lie; here there is none.
type Room struct{}

// NewRoom returns an error: callers ask CanMap first.
func (db *DB) NewRoom() (*Room, error) { return nil, errors.ErrUnsupported }

// Floats returns a column of zeros.
func (r *Room) Floats(n int) ([]float64, error) { return make([]float64, n), nil }

// Codes returns a column of zeros.
func (r *Room) Codes(n int) ([]int32, error) { return make([]int32, n), nil }

// Close does nothing.
func (r *Room) Close() error { return nil }

package store

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CanMap reports whether large files and columns are mapped into memory on this system.
const CanMap = true

// mapFile maps a file to be read. What unmaps it must be called when nobody reads it any more.
func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, func() error { return nil }, err
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	_ = unix.Madvise(data, unix.MADV_SEQUENTIAL) // advice: without it the file is read as well
	return data, func() error { return unix.Munmap(data) }, nil
}

// Room is a file without a name in the data folder, in which the columns of a large table lie, mapped into memory.
// So the system writes them to the disk when it needs the memory, and nothing of them is left after a kill. Every
// slice is its own; several goroutines may ask.
type Room struct {
	mu     sync.Mutex
	dir    string
	f      *os.File
	size   int64
	maps   [][]byte
	free   []byte // the rest of the last map
	closed bool
}

// NewRoom returns an empty room.
func (db *DB) NewRoom() (*Room, error) {
	f, err := tempFile(db.dir)
	if err != nil {
		return nil, fmt.Errorf("make room for columns: %w", noSpace(db.dir, err))
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Room{dir: db.dir, f: f}, nil
}

// mapSize is the least size of a map: short columns share one. The kernel limits the number of maps.
const mapSize = 16 << 20

// bytes returns so many zeros, at a multiple of eight. The space on the disk is taken at once, because a full disk
// would otherwise end the program at the first write to a page.
func (r *Room) bytes(n int) ([]byte, error) {
	n = (n + 7) &^ 7
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, os.ErrClosed
	}
	if n > len(r.free) {
		page := os.Getpagesize()
		size := (max(n, mapSize) + page - 1) / page * page
		if err := unix.Fallocate(int(r.f.Fd()), 0, r.size, int64(size)); err != nil {
			return nil, fmt.Errorf("make room for columns: %w", noSpace(r.dir, err))
		}
		m, err := unix.Mmap(int(r.f.Fd()), r.size, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return nil, fmt.Errorf("make room for columns: %w", err)
		}
		r.size += int64(size)
		r.maps, r.free = append(r.maps, m), m
	}
	b := r.free[:n:n]
	r.free = r.free[n:]
	return b, nil
}

// Floats returns a column of zeros.
func (r *Room) Floats(n int) ([]float64, error) {
	b, err := r.bytes(8 * n)
	if err != nil || n == 0 {
		return []float64{}, err
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), n), nil
}

// Codes returns a column of zeros.
func (r *Room) Codes(n int) ([]int32, error) {
	b, err := r.bytes(4 * n)
	if err != nil || n == 0 {
		return []int32{}, err
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(&b[0])), n), nil
}

// Close gives the space back. Nobody may read or write a slice of the room any more.
func (r *Room) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	var all error
	for _, m := range r.maps {
		all = errors.Join(all, unix.Munmap(m))
	}
	return errors.Join(all, r.f.Close())
}

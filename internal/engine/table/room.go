package table

import (
	"bytes"
	"context"
	"sync"

	"taper/internal/engine/cost"
	"taper/internal/engine/pages"
)

// Room is where the columns of a large table lie: a file that is mapped into memory, not the heap. What it returns
// is zero. Several goroutines may call it.
type Room interface {
	Floats(n int) ([]float64, error)
	Codes(n int) ([]int32, error)
}

// ReadInto is Read for a large file that is mapped into memory: the columns lie in room, and memory is reserved for
// the rest alone.
func ReadInto(ctx context.Context, data []byte, opt Options, lim Limits, room Room) (*Table, error) {
	lim = lim.orDefault()
	need := MappedMemory(int64(len(data)), lim)
	if isZip(data) { // what it unpacks to lies on the heap
		room, need = nil, ReadMemory(int64(len(data)))
	}
	if _, err := cost.Hold(ctx, "Reading this file", need); err != nil {
		return nil, err
	}
	if room != nil {
		lim.memory = &memory{room: room}
	}
	return read(ctx, data, opt, lim, max(chunkBytes, len(data)/mostChunks))
}

// mostChunks bounds the chunks of a large file, each of which has dictionaries of its own.
const mostChunks = 256

// MappedMemory bounds the memory for reading a mapped file of this size, besides the texts that are counted
// while it is read: what two columns of numbers take while they are described, and a fixed part, also for the rows
// that are checked.
func MappedMemory(size int64, lim Limits) int64 {
	return 192<<20 + 16*min(size/2, int64(lim.orDefault().Rows))
}

func isZip(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// memory is where the columns of one table lie; nil is the heap. After an error it returns slices of the heap, so
// that only few callers must look at the error.
type memory struct {
	room Room
	mu   sync.Mutex
	err  error
}

func (m *memory) floats(n int) []float64 {
	if m != nil {
		x, err := m.room.Floats(n)
		if err == nil {
			return x
		}
		m.fail(err)
	}
	return pages.Make[float64](n)
}

func (m *memory) codes(n int) []int32 {
	if m != nil {
		x, err := m.room.Codes(n)
		if err == nil {
			return x
		}
		m.fail(err)
	}
	return pages.Make[int32](n)
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
}

// failed returns the first error.
func (m *memory) failed() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Package lock has the lock by which use cases that change the same record run one after another.
package lock

import (
	"hash/crc32"
	"sync"
)

// ByID is a lock for each id. Ids whose hashes are equal share one, so that it needs no memory per id and nobody may
// hold two at a time. The zero value is ready for use.
type ByID struct{ locks [64]sync.Mutex }

// Lock blocks other callers with the same id until unlock is called.
func (l *ByID) Lock(id string) (unlock func()) {
	mu := &l.locks[crc32.ChecksumIEEE([]byte(id))%uint32(len(l.locks))]
	mu.Lock()
	return mu.Unlock
}

package cost

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"taper/internal/engine/usererr"
)

// Memory divides the program's memory into budgets. Code asks before it allocates and returns
// what it no longer needs. The budgets together exceed the total, so that memory unused by one
// is available to another. The zero value is unlimited.
type Memory struct {
	Jobs     *Budget // runs, bootstraps, audits, studies, and background work of pages
	Requests *Budget // what a request holds until its response: files, tables, rows
	Caches   *Budget // cached values, dropped when the memory is needed
}

// NewMemory divides this many bytes. A quarter is left for the program itself and for what
// estimates do not cover.
func NewMemory(bytes int64) Memory {
	all := &shared{free: semaphore.NewWeighted(bytes / 4 * 3)}
	part := func(size int64) *Budget { return &Budget{all: all, size: size, free: semaphore.NewWeighted(size)} }
	m := Memory{Jobs: part(bytes / 2), Requests: part(bytes / 8 * 5), Caches: part(bytes / 4)}
	m.Jobs.works, m.Requests.works = true, true
	return m
}

// GiveWay registers a function that empties a cache. It is called, without locks held, when
// others need the memory.
func (m Memory) GiveWay(empty func()) {
	if m.Caches != nil {
		m.Caches.all.mu.Lock()
		defer m.Caches.all.mu.Unlock()
		m.Caches.all.caches = append(m.Caches.all.caches, empty)
	}
}

// shared is the state that the budgets of a Memory have in common.
type shared struct {
	free   *semaphore.Weighted
	mu     sync.Mutex
	caches []func()
	users  users
}

func (s *shared) empty() {
	s.mu.Lock()
	caches := s.caches
	s.mu.Unlock()
	for _, empty := range caches {
		empty()
	}
}

// Budget is a part of a Memory; nil is unlimited.
//
// Code that holds memory for long must not ask for more: two holders could wait for each other.
type Budget struct {
	all  *shared
	size int64
	free *semaphore.Weighted
	held atomic.Int64

	works bool // who holds some of it works, and ends
}

// Held is the number of bytes acquired and not released.
func (b *Budget) Held() int64 { return b.held.Load() }

// Check returns an error if bytes would not fit even with nothing else held. what begins its
// sentence: "This run".
func (b *Budget) Check(what string, bytes int64) error {
	if b == nil || bytes <= b.size {
		return nil
	}
	return usererr.New(usererr.Invalid, "%s would need about %s of memory; the limit is %s. Use fewer rows or columns, "+
		"or start Taper with more memory (-memory).", what, Bytes(bytes), Bytes(b.size)).TooCostly()
}

// TryAcquire acquires bytes if they are free and nobody waits. Calling release again does
// nothing.
func (b *Budget) TryAcquire(bytes int64) (release func(), ok bool) {
	if b == nil {
		return func() {}, true
	}
	if !b.free.TryAcquire(bytes) {
		return nil, false
	}
	if !b.all.free.TryAcquire(bytes) {
		b.free.Release(bytes)
		return nil, false
	}
	return b.taken(bytes), true
}

// Acquire waits until bytes are free or ctx ends, first come, first served. Caches are emptied
// before it waits.
func (b *Budget) Acquire(ctx context.Context, bytes int64) (release func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	if err := b.free.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	if !b.all.free.TryAcquire(bytes) {
		b.all.empty()
		if err := b.all.free.Acquire(ctx, bytes); err != nil {
			b.free.Release(bytes)
			return nil, err
		}
	}
	return b.taken(bytes), nil
}

func (b *Budget) taken(bytes int64) (release func()) {
	b.held.Add(bytes)
	leave := func() {}
	if b.works {
		leave = b.all.users.enter()
	}
	return sync.OnceFunc(func() {
		defer leave()
		b.held.Add(-bytes)
		b.all.free.Release(bytes)
		b.free.Release(bytes)
	})
}

package cost

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"taper/internal/engine/usererr"
)

// Memory is the memory of the whole program, shared out by admission: who is about to allocate asks
// first and gives back what is free again. The parts of it may be more than the whole together:
// what one does not use another can. The zero value has no end.
type Memory struct {
	Jobs     *Budget // runs, bootstraps, audits, studies, and what pages compute in the background
	Requests *Budget // what a request holds until it is answered: files, tables, rows
	Caches   *Budget // what is kept for the next look, as long as nobody needs the room
}

// NewMemory shares out so many bytes. A quarter stays for the program itself, and for what an
// estimate does not know.
func NewMemory(bytes int64) Memory {
	all := &shared{free: semaphore.NewWeighted(bytes / 4 * 3)}
	part := func(size int64) *Budget { return &Budget{all: all, size: size, free: semaphore.NewWeighted(size)} }
	return Memory{Jobs: part(bytes / 2), Requests: part(bytes / 8 * 5), Caches: part(bytes / 4)}
}

// GiveWay registers what empties a cache. It is called when others need the room, on their
// goroutines, which hold no lock.
func (m Memory) GiveWay(empty func()) {
	if m.Caches != nil {
		m.Caches.all.mu.Lock()
		defer m.Caches.all.mu.Unlock()
		m.Caches.all.caches = append(m.Caches.all.caches, empty)
	}
}

// shared is what the budgets of a Memory share.
type shared struct {
	free   *semaphore.Weighted
	mu     sync.Mutex
	caches []func()
}

func (s *shared) empty() {
	s.mu.Lock()
	caches := s.caches
	s.mu.Unlock()
	for _, empty := range caches {
		empty()
	}
}

// Budget is a part of a Memory. nil has no end.
//
// Whoever holds some of it for long must not ask for more: two who did that could wait for each other.
type Budget struct {
	all  *shared
	size int64
	free *semaphore.Weighted
	held atomic.Int64
}

// Held is what is given out.
func (b *Budget) Held() int64 { return b.held.Load() }

// Check refuses what would not fit if nothing else were held. What names it as the
// start of a sentence: "This run".
func (b *Budget) Check(what string, bytes int64) error {
	if b == nil || bytes <= b.size {
		return nil
	}
	return usererr.New(usererr.Invalid, "%s would need about %s of memory; the limit is %s. Use fewer rows or columns, "+
		"or start Taper with more memory (-memory).", what, Bytes(bytes), Bytes(b.size)).TooCostly()
}

// TryAcquire takes bytes if they are free now and nobody waits. release gives them back, once
// however often it is called.
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

// Acquire waits until bytes are free, or for the end of the context. Those who wait are served in
// order. Caches are emptied rather than waited for.
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
	return sync.OnceFunc(func() {
		b.held.Add(-bytes)
		b.all.free.Release(bytes)
		b.free.Release(bytes)
	})
}

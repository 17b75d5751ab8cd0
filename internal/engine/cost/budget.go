package cost

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"taper/internal/engine/usererr"
)

// Budget is memory that is shared out by admission: whoever is about to allocate asks for it
// first and gives it back when it is free again. nil has no end.
//
// Whoever holds some must not ask for more: two who did that could wait for each other.
type Budget struct {
	size int64
	free *semaphore.Weighted
	held atomic.Int64
}

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int64) *Budget {
	return &Budget{size: bytes, free: semaphore.NewWeighted(bytes)}
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
		"or start Taper with more memory (-memory).", what, Bytes(bytes), Bytes(b.size))
}

// TryAcquire takes bytes if they are free now. release gives them back, once however often it is called.
func (b *Budget) TryAcquire(bytes int64) (release func(), ok bool) {
	if b == nil {
		return func() {}, true
	}
	if !b.free.TryAcquire(bytes) {
		return nil, false
	}
	return b.taken(bytes), true
}

// Acquire waits until bytes are free, or for the end of the context. Those who wait are served in order.
func (b *Budget) Acquire(ctx context.Context, bytes int64) (release func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	if err := b.free.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return b.taken(bytes), nil
}

func (b *Budget) taken(bytes int64) (release func()) {
	b.held.Add(bytes)
	var given atomic.Bool
	return func() {
		if given.CompareAndSwap(false, true) {
			b.held.Add(-bytes)
			b.free.Release(bytes)
		}
	}
}

package testtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// Looks is a context that ends at a given check of it. A test can thereby cancel work at every
// place that checks the context, in the same order on every machine.
type Looks struct {
	context.Context
	left  atomic.Int64
	close sync.Once
	done  chan struct{}
}

// EndAfter is a context that ends after the given number of checks.
func EndAfter(parent context.Context, looks int) *Looks {
	l := &Looks{Context: parent, done: make(chan struct{})}
	l.left.Store(int64(looks))
	return l
}

func (l *Looks) Err() error {
	if l.left.Add(-1) >= 0 {
		return l.Context.Err()
	}
	l.close.Do(func() { close(l.done) })
	return context.Canceled
}

func (l *Looks) Done() <-chan struct{} { return l.done }

// Ended reports whether a check has found the context ended.
func (l *Looks) Ended() bool { return l.left.Load() < 0 }

// EndAtLooks repeats some work with a context that ends at an earlier or later check. The work
// must return the context's error if a check found it ended, and must not otherwise.
func EndAtLooks(t testing.TB, work func(ctx context.Context) error) {
	t.Helper()
	for looks := 0; looks < 1<<30; looks += 1 + looks/2 {
		ctx := EndAfter(t.Context(), looks)
		err := work(ctx)
		if told := ctx.Ended(); told != errors.Is(err, context.Canceled) {
			t.Fatalf("the context ended after %d looks: %v, error %v", looks, told, err)
		} else if !told {
			return
		}
	}
}

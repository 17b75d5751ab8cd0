package cost

import (
	"context"
	"errors"
	"sync"
	"time"

	"taper/internal/engine/usererr"
)

// Patience is how long a request waits for memory held by others.
const Patience = 10 * time.Second

// small is what a request may use without asking, as for a page or a form.
const small = 256 << 10

// scope is the memory held by one request.
type scope struct {
	budget *Budget
	mu     sync.Mutex
	held   []func()
	bytes  int64 // not yet released
}

type scopeKey struct{}

// WithScope gives a request a scope: what code below acquires with Hold is held until end is
// called.
func WithScope(ctx context.Context, b *Budget) (scoped context.Context, end func()) {
	if b == nil {
		return ctx, func() {}
	}
	s := &scope{budget: b}
	leave := sync.OnceFunc(b.all.users.enter())
	return context.WithValue(ctx, scopeKey{}, s), func() {
		defer leave()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, release := range s.held {
			release()
		}
		s.held = nil
	}
}

// Paid returns a context for code whose memory is already held; Hold does nothing in it.
func Paid(ctx context.Context) context.Context { return context.WithValue(ctx, scopeKey{}, nil) }

// Hold acquires bytes for the request of a context, until the request ends or release is
// called. After waiting for Patience it returns a usererr.Busy, which says to try again. what
// begins its sentence: "Reading this file". Outside of requests it does nothing, because a job
// acquires its memory at the start.
func Hold(ctx context.Context, what string, bytes int64) (release func(), err error) {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok || bytes < small {
		return func() {}, nil
	}
	s.mu.Lock()
	own := s.bytes // released only with the request itself, so it can never wait for them
	s.mu.Unlock()
	if err := s.budget.Check(what, own+bytes); err != nil {
		return nil, err
	}
	wait, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	release, err = s.budget.Acquire(wait, bytes)
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = usererr.New(usererr.Busy, "%s needs about %s of memory, which other work holds now. Try again in a "+
				"moment.", what, Bytes(bytes)).TooCostly()
		}
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	give := release
	s.held, s.bytes = append(s.held, give), s.bytes+bytes
	return sync.OnceFunc(func() {
		give()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bytes -= bytes
	}), nil
}

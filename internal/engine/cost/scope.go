package cost

import (
	"context"
	"errors"
	"sync"
	"time"

	"taper/internal/engine/usererr"
)

// Patience is how long a request waits for memory that others hold.
const Patience = 10 * time.Second

// small is what a request may take without asking: a page, a form.
const small = 256 << 10

// scope is what one request holds.
type scope struct {
	budget *Budget
	mu     sync.Mutex
	held   []func()
	bytes  int64 // that are not given back
}

type scopeKey struct{}

// WithScope gives a request its scope: what code below holds by Hold comes out of the budget until
// end is called.
func WithScope(ctx context.Context, b *Budget) (scoped context.Context, end func()) {
	if b == nil {
		return ctx, func() {}
	}
	s := &scope{budget: b}
	return context.WithValue(ctx, scopeKey{}, s), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, release := range s.held {
			release()
		}
		s.held = nil
	}
}

// Paid is a context for code whose memory is held already: what it holds below costs nothing more.
func Paid(ctx context.Context) context.Context { return context.WithValue(ctx, scopeKey{}, nil) }

// Hold takes bytes for the request of a context, until it is answered or release is called. It
// waits for what others hold, but not for long: then a usererr.Busy says to try again. What names
// it as the start of a sentence: "Reading this file". Where there is no request it does nothing: a
// job holds all that it needs from its start.
func Hold(ctx context.Context, what string, bytes int64) (release func(), err error) {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok || bytes < small {
		return func() {}, nil
	}
	s.mu.Lock()
	own := s.bytes // which come free with the request alone: waiting for them would be in vain
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

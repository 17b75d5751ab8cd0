package parallel

import (
	"context"
	"sync"
	"time"
)

// Foreground counts the work that somebody waits for, and lets work in the background give way
// to it. To Go's scheduler their goroutines are alike: without this a fit that uses every core takes
// most of a busy machine from those who wait for a page.
//
// The background keeps a share of the time, so that it always ends: it works, then pauses until
// nothing is in the foreground, rest times as long as it has worked at most. All that stands behind
// one Foreground pauses together. A pause changes nothing that is computed. The zero value is ready.
type Foreground struct {
	mu    sync.Mutex
	open  int           // pieces of work in the foreground
	empty chan struct{} // closed when the last of them ends; of open > 0
	since time.Time     // the beginning of what the background has worked; in a pause its end at the latest
}

const (
	// turn is the least work between two pauses: timers are not exact enough for shorter ones.
	turn = 2 * time.Millisecond
	// rest leaves the background a quarter of the time.
	rest = 3
	// longestPause bounds a pause after a step that took long.
	longestPause = time.Second
)

// Begin counts a piece of work in the foreground until end is called, once however often that is.
func (f *Foreground) Begin() (end func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open++; f.open == 1 {
		f.empty = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.open--; f.open == 0 {
			close(f.empty)
		}
	})
}

// Busy reports whether anything is in the foreground.
func (f *Foreground) Busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open > 0
}

type behindKey struct{}

// Behind makes the work of a context one of the background.
func (f *Foreground) Behind(ctx context.Context) context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.since) > longestPause { // nothing was at work
		f.since = now
	}
	return context.WithValue(ctx, behindKey{}, f)
}

// Yield stands between two steps of work that may take long. In the background it pauses while the
// foreground needs the cores; elsewhere it does nothing. It returns the error of the context.
func Yield(ctx context.Context) error {
	if f, ok := ctx.Value(behindKey{}).(*Foreground); ok && ctx.Err() == nil {
		f.giveWay(ctx)
	}
	return ctx.Err()
}

func (f *Foreground) giveWay(ctx context.Context) {
	f.mu.Lock()
	now := time.Now()
	if f.open == 0 {
		f.since = now // what is worked while nobody waits takes nothing from anybody
		f.mu.Unlock()
		return
	}
	if worked := now.Sub(f.since); worked >= turn {
		f.since = now.Add(min(rest*worked, longestPause))
	}
	pause, empty := f.since.Sub(now), f.empty
	f.mu.Unlock()
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-empty:
		f.mu.Lock()
		defer f.mu.Unlock()
		if now := time.Now(); f.since.After(now) {
			f.since = now
		}
	case <-ctx.Done():
	}
}

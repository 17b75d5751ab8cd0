package parallel

import (
	"context"
	"sync"
	"time"
)

// Foreground counts work that a user waits for, and lets background work give way to it. Go's
// scheduler treats all goroutines alike; without this, a fit on every core takes most of a busy
// machine from users who wait for a page.
//
// The background keeps a share of the time, so that it always finishes: it works, then pauses
// until the foreground is empty, or at most rest times as long as it has worked. All background
// work of a Foreground pauses together. Pauses never change results. The zero value is ready to
// use.
type Foreground struct {
	mu    sync.Mutex
	open  int           // number of pieces of foreground work
	empty chan struct{} // closed when the last of them ends; set while open > 0
	since time.Time     // when the background began to work; during a pause, the latest end of it
}

const (
	// turn is the least work between two pauses; timers are too coarse for shorter ones.
	turn = 2 * time.Millisecond
	// rest leaves the background a quarter of the time.
	rest = 3
	// longestPause bounds a pause after a long step.
	longestPause = time.Second
)

// Begin counts a piece of work as foreground until end is called; further calls of end do
// nothing.
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

// Busy reports whether there is foreground work.
func (f *Foreground) Busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open > 0
}

type behindKey struct{}

// Behind marks the work of a context as background.
func (f *Foreground) Behind(ctx context.Context) context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.since) > longestPause { // the background was idle
		f.since = now
	}
	return context.WithValue(ctx, behindKey{}, f)
}

// Yield is called between two steps of long work. In the background it pauses while the
// foreground is busy; elsewhere it does nothing. It returns the error of the context.
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
		f.since = now // work without a foreground is not counted
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

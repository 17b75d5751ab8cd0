package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// step is the duration of a task, on the test's clock.
const step = 10 * time.Millisecond

// steps runs n tasks on several goroutines and returns the time they took.
func steps(t *testing.T, ctx context.Context, n, workers int) time.Duration {
	t.Helper()
	started := time.Now()
	if err := ForEach(ctx, n, workers, func(int) error { time.Sleep(step); return nil }); err != nil {
		t.Error(err)
	}
	return time.Since(started)
}

// TestBackground: with foreground work, background work takes four times as long on any number
// of goroutines, and other work takes no longer.
func TestBackground(t *testing.T) {
	for _, c := range []struct {
		name           string
		behind, waited bool
		workers        int
		want           time.Duration
	}{
		{"nobody waits", true, false, 1, 10 * step},
		{"in the foreground", false, true, 1, 10 * step},
		{"in the background", true, true, 1, 10 * (1 + rest) * step},
		{"on two goroutines", true, true, 2, 5 * (1 + rest) * step},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var f Foreground
				ctx := t.Context()
				if c.behind {
					ctx = f.Behind(ctx)
				}
				if c.waited {
					defer f.Begin()()
				}
				if took := steps(t, ctx, 10, c.workers); took != c.want {
					t.Errorf("%v, want %v", took, c.want)
				}
			})
		})
	}
}

// TestBusy: busy from the first piece of foreground work until the last has ended.
func TestBusy(t *testing.T) {
	var f Foreground
	want := func(when string, busy bool) {
		t.Helper()
		if f.Busy() != busy {
			t.Errorf("%s: busy is %v", when, !busy)
		}
	}
	want("before", false)
	first := f.Begin()
	want("one", true)
	second := f.Begin()
	first()
	want("the second", true)
	second()
	want("after", false)
}

// TestPauseEnds: a pause ends with the last piece of foreground work, even if end is called
// twice; background work that follows starts without a pause.
func TestPauseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Foreground
		first, second := f.Begin(), f.Begin()
		ctx := f.Behind(t.Context())
		var done atomic.Int64
		go ForEach(ctx, 4, 1, func(int) error { time.Sleep(step); done.Add(1); return nil }) //nolint:errcheck // nil
		expect := func(when string, want int64) {
			t.Helper()
			if synctest.Wait(); done.Load() != want {
				t.Errorf("%s: %d tasks done, want %d", when, done.Load(), want)
			}
		}
		time.Sleep(step)
		expect("in the pause", 1)
		first()
		first()
		time.Sleep(step)
		expect("one still waits", 1)
		second()
		time.Sleep(step)
		expect("nobody waits", 2)
		defer f.Begin()()
		time.Sleep(step)
		expect("somebody waits again", 3)
		time.Sleep(rest * step)
		expect("in the next pause", 3)
		time.Sleep(step)
		expect("after it", 4)
	})
}

// TestPauseIsCancelled: a cancel ends a pause.
func TestPauseIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Foreground
		defer f.Begin()()
		ctx, cancel := context.WithCancel(f.Behind(t.Context()))
		time.Sleep(step)
		time.AfterFunc(step, cancel)
		if started := time.Now(); !errors.Is(Yield(ctx), context.Canceled) || time.Since(started) != step {
			t.Errorf("a cancelled pause lasted %v", time.Since(started))
		}
	})
}

// TestPauseIsBounded: neither a long step nor an idle time leads to a long pause.
func TestPauseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Foreground
		defer f.Begin()()
		pause := func(ctx context.Context) time.Duration {
			started := time.Now()
			if err := Yield(ctx); err != nil {
				t.Error(err)
			}
			return time.Since(started)
		}
		ctx := f.Behind(t.Context())
		time.Sleep(time.Hour)
		if took := pause(ctx); took != longestPause {
			t.Errorf("after an hour's step a pause of %v", took)
		}
		if took := pause(ctx); took != 0 {
			t.Errorf("after no work a pause of %v", took)
		}
		time.Sleep(time.Hour)
		if took := pause(f.Behind(t.Context())); took != 0 {
			t.Errorf("at the beginning of work a pause of %v", took)
		}
	})
}

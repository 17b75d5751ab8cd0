package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

var bg = context.Background()

// result records the calls of done.
type result struct {
	mu   sync.Mutex
	errs map[string][]error
}

func (r *result) of(id string) func(error) {
	return func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.errs == nil {
			r.errs = map[string][]error{}
		}
		r.errs[id] = append(r.errs[id], err)
	}
}

// once returns the error passed to done, and fails unless done was called exactly once.
func (r *result) once(t *testing.T, id string) error {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.errs[id]); n != 1 {
		t.Fatalf("done of %s was called %d times", id, n)
	}
	return r.errs[id][0]
}

// untilStopped is work that ends with its context.
func untilStopped(ctx context.Context, _ func(linear.Progress)) error {
	<-ctx.Done()
	return fmt.Errorf("fit: %w", ctx.Err())
}

func nothing(error) {}

func wantState(t *testing.T, r *Runner, id string, want State) Event {
	t.Helper()
	e, ok := r.Progress(id)
	if !ok || e.State != want {
		t.Fatalf("%s: %+v (known %v), want %s", id, e, ok, want)
	}
	return e
}

func TestJobsRunInOrderWithinTheLimit(t *testing.T) {
	for _, limit := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			r := New(bg, limit, nil)
			var now, most atomic.Int32
			var mu sync.Mutex
			var order []int
			for i := range 10 {
				r.Start(fmt.Sprint(i), 0, func(context.Context, func(linear.Progress)) error {
					most.Store(max(most.Load(), now.Add(1)))
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					time.Sleep(time.Second)
					now.Add(-1)
					return nil
				}, nothing)
				time.Sleep(time.Millisecond)
			}
			if e := wantState(t, r, "9", Queued); e.Ahead != 9 {
				t.Errorf("ahead %d, want 9", e.Ahead)
			}
			time.Sleep(20 * time.Second)
			wantState(t, r, "9", Done)
			if want := max(1, limit); int(most.Load()) != want || !slices.IsSorted(order) || len(order) != 10 {
				t.Errorf("limit %d: %d at a time, order %v", limit, most.Load(), order)
			}
			r.Close(bg)
		})
	}
}

func TestHowJobsEnd(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		fn    Work
		state State
		check func(error) bool
	}{
		{"well", func(context.Context, func(linear.Progress)) error { return nil }, Done, func(err error) bool { return err == nil }},
		{"error", func(context.Context, func(linear.Progress)) error { return boom }, Failed, func(err error) bool { return err == boom }},
		{"own cancel", func(context.Context, func(linear.Progress)) error { return context.Canceled }, Failed,
			func(err error) bool { return err == context.Canceled }},
		{"panic", func(context.Context, func(linear.Progress)) error { panic("index 7") }, Failed, func(err error) bool {
			var p *PanicError
			return errors.As(err, &p) && p.Value == "index 7" && strings.Contains(string(p.Stack), "TestHowJobsEnd")
		}},
		{"goexit", func(context.Context, func(linear.Progress)) error { runtime.Goexit(); return nil }, Failed,
			func(err error) bool { return err != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(bg, 1, nil)
				var res result
				if err := r.Start("a", 0, c.fn, res.of("a")); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if err := res.once(t, "a"); !c.check(err) {
					t.Errorf("done got %v", err)
				}
				wantState(t, r, "a", c.state)
				ran := false // the next job runs
				r.Start("b", 0, func(context.Context, func(linear.Progress)) error { ran = true; return nil }, nothing)
				synctest.Wait()
				if !ran {
					t.Error("the next job did not start")
				}
				r.Close(bg)
			})
		})
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(bg, 1, nil)
		var res result
		for _, id := range []string{"runs", "waits", "last"} {
			r.Start(id, 0, untilStopped, res.of(id))
		}
		if err := r.Cancel("waits"); err != nil {
			t.Fatal(err)
		}
		if err := res.once(t, "waits"); !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("queued job: %v", err)
		}
		wantState(t, r, "waits", Cancelled)
		if e := wantState(t, r, "last", Queued); e.Ahead != 1 {
			t.Errorf("ahead %d, want 1", e.Ahead)
		}
		wantState(t, r, "runs", Running)
		r.Cancel("runs")
		r.Cancel("runs")
		synctest.Wait()
		if err := res.once(t, "runs"); !errors.Is(err, ErrCancelled) || !strings.Contains(err.Error(), "fit: ") {
			t.Errorf("running job: %v", err)
		}
		wantState(t, r, "runs", Cancelled)
		wantState(t, r, "last", Running)
		if err := r.Cancel("runs"); !usererr.Is(err, usererr.Conflict) {
			t.Errorf("ended job: %v", err)
		}
		if err := r.Cancel("none"); !usererr.Is(err, usererr.NotFound) || err.Error() != `No run ‘none’ is queued or running.` {
			t.Errorf("unknown job: %v", err)
		}
		if err := r.Start("last", 0, untilStopped, nothing); !usererr.Is(err, usererr.Conflict) {
			t.Errorf("second start: %v", err)
		}
		r.Close(bg)
	})
}

func TestCloseEndsEverything(t *testing.T) {
	for _, how := range []string{"close", "context"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(bg)
			defer cancel()
			r := New(ctx, 2, nil)
			var res result
			ids := []string{"a", "b", "c", "d"}
			for _, id := range ids {
				r.Start(id, 0, untilStopped, res.of(id))
			}
			w, err := r.Watch(bg, "d")
			if err != nil {
				t.Fatal(err)
			}
			if how == "context" {
				cancel()
				synctest.Wait()
			}
			if err := r.Close(bg); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				if err := res.once(t, id); !errors.Is(err, ErrClosed) || errors.Is(err, ErrCancelled) {
					t.Errorf("%s %s: %v", how, id, err)
				}
				wantState(t, r, id, Interrupted)
			}
			var last Event
			for e := range w {
				last = e
			}
			if last.State != Interrupted {
				t.Errorf("watcher saw %s last", last.State)
			}
			if err := r.Start("e", 0, untilStopped, nothing); !usererr.Is(err, usererr.Conflict) {
				t.Errorf("start after close: %v", err)
			}
		})
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(bg, 1, nil)
		r.Start("deaf", 0, func(context.Context, func(linear.Progress)) error { time.Sleep(time.Minute); return nil }, nothing)
		ctx, cancel := context.WithTimeout(bg, 5*time.Second)
		defer cancel()
		if err := r.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %v", err)
		}
		time.Sleep(time.Hour)
		wantState(t, r, "deaf", Done)
	})
}

func TestWatchThrottlesAndEndsWithTheFinalState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(bg, 1, nil)
		recorded := false
		r.Start("a", 0, func(_ context.Context, report func(linear.Progress)) error {
			for i := range 1000 { // one second
				time.Sleep(time.Millisecond)
				report(linear.Progress{Iteration: i + 1})
			}
			return nil
		}, func(error) { recorded = true })
		w, err := r.Watch(bg, "a")
		if err != nil {
			t.Fatal(err)
		}
		start, n, last, lastAt := time.Now(), 0, Event{}, time.Time{}
		for e := range w {
			if n == 0 && time.Since(start) != 0 {
				t.Errorf("first state after %v", time.Since(start))
			}
			if gap := time.Since(lastAt); n > 0 && gap < throttle && !e.State.Final() {
				t.Errorf("event after %v", gap)
			}
			if e.State.Final() && !recorded {
				t.Error("final state before done")
			}
			n, last, lastAt = n+1, e, time.Now()
		}
		if n < 19 || n > 22 || last.State != Done || last.Progress.Iteration != 1000 {
			t.Errorf("%d events, last %+v", n, last)
		}
		if took := lastAt.Sub(start); took != time.Second {
			t.Errorf("final state after %v", took)
		}
		late, err := r.Watch(bg, "a")
		if err != nil {
			t.Fatal(err)
		}
		if e := <-late; e.State != Done {
			t.Errorf("late watcher: %+v", e)
		}
		if _, open := <-late; open {
			t.Error("channel open after the final state")
		}
		if _, err := r.Watch(bg, "none"); !usererr.Is(err, usererr.NotFound) {
			t.Errorf("unknown job: %v", err)
		}
	})
}

func TestASlowWatcherBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(bg, 1, nil)
		begun := make(chan struct{})
		r.Start("a", 0, func(_ context.Context, report func(linear.Progress)) error {
			<-begun
			for i := range 100_000 {
				report(linear.Progress{Iteration: i})
			}
			return nil
		}, nothing)
		w, _ := r.Watch(bg, "a") // not read until the job has ended
		gone, leave := context.WithCancel(bg)
		left, _ := r.Watch(gone, "a") // never read
		synctest.Wait()               // both channels hold the first state
		close(begun)
		synctest.Wait()
		wantState(t, r, "a", Done)
		var seen []State
		for e := range w {
			seen = append(seen, e.State)
		}
		if !slices.Equal(seen, []State{Running, Done}) {
			t.Errorf("saw %v", seen)
		}
		leave() // otherwise synctest reports a leaked goroutine
		if _, open := <-left; open {
			<-left
		}
	})
}

func TestOldJobsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(bg, 1, nil)
		for i := range remembered + 10 {
			r.Start(fmt.Sprint(i), 0, func(context.Context, func(linear.Progress)) error { return nil }, nothing)
			synctest.Wait()
		}
		if _, ok := r.Progress("9"); ok || len(r.jobs) != remembered {
			t.Errorf("%d jobs remembered", len(r.jobs))
		}
		wantState(t, r, "10", Done)
	})
}

// TestRace calls every method concurrently, in real time.
func TestRace(t *testing.T) {
	before := runtime.NumGoroutine()
	r := New(bg, 2, nil)
	var ended atomic.Int32
	var wg sync.WaitGroup
	const n = 100
	for i := range n {
		id := fmt.Sprint(i)
		wg.Go(func() {
			err := r.Start(id, 0, func(ctx context.Context, report func(linear.Progress)) error {
				for k := range 50 {
					report(linear.Progress{Iteration: k})
				}
				if i%7 == 0 {
					panic(id)
				}
				return ctx.Err()
			}, func(error) { ended.Add(1); r.Progress(id) })
			if err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithTimeout(bg, time.Duration(i)*time.Millisecond)
			defer cancel()
			if w, err := r.Watch(ctx, id); err == nil {
				for range w {
				}
			}
			if i%3 == 0 {
				r.Cancel(id)
			}
		})
	}
	wg.Wait()
	if err := r.Close(bg); err != nil || ended.Load() != n {
		t.Fatalf("%d of %d done, %v", ended.Load(), n, err)
	}
	testtime.Until(t, "the last goroutine", func() bool { return runtime.NumGoroutine() <= before })
}

func BenchmarkReport(b *testing.B) {
	r := New(bg, 1, nil)
	r.Start("a", 0, func(_ context.Context, report func(linear.Progress)) error {
		w, _ := r.Watch(bg, "a")
		go func() {
			for range w {
			}
		}()
		for b.Loop() {
			report(linear.Progress{Iteration: 1})
		}
		return nil
	}, nothing)
	r.Close(bg)
}

// TestStartAnew: a stopped job can be started again under its id, and its state is not dropped
// because of its first end.
func TestStartAnew(t *testing.T) {
	r := New(t.Context(), 1, nil)
	defer r.Close(context.Background())
	for range 2 * remembered {
		ended := make(chan struct{})
		if err := r.Start("again", 0, func(context.Context, func(linear.Progress)) error { return nil }, nothing); err != nil {
			t.Fatal(err)
		}
		if err := r.Start("again", 0, untilStopped, nothing); err == nil {
			_ = r.Cancel("again")
		}
		go func() {
			defer close(ended)
			events, err := r.Watch(t.Context(), "again")
			for range events {
			}
			if err != nil {
				t.Error(err)
			}
		}()
		<-ended
	}
	if _, ok := r.Progress("again"); !ok {
		t.Error("forgotten")
	}
	if len(r.ended) != 1 {
		t.Errorf("%d entries for one job", len(r.ended))
	}
}

package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestAll: every task runs once, on any number of goroutines.
func TestAll(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 100} {
		for _, workers := range []int{0, 1, 2, 5, 200} {
			most := workers
			if most == 0 {
				most = Cores()
			}
			by := make([]atomic.Int64, most)
			times := make([]int, n)
			Each(n, workers, func(worker, i int) {
				if by[worker].Add(1) != 1 {
					t.Errorf("worker %d does two tasks at a time", worker)
				}
				times[i]++
				by[worker].Add(-1)
			})
			err := ForEach(context.Background(), n, workers, func(i int) error { times[i]++; return nil })
			if err != nil || slices.ContainsFunc(times, func(k int) bool { return k != 2 }) {
				t.Errorf("%d tasks, %d workers: %v %v", n, workers, times, err)
			}
		}
	}
}

// TestLimit: as many tasks run at a time as there are workers.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		end := make(chan struct{})
		task := func() {
			running.Add(1)
			<-end
			running.Add(-1)
		}
		go Each(9, 3, func(_, _ int) { task() })
		go ForEach(t.Context(), 9, 4, func(int) error { task(); return nil }) //nolint:errcheck // nil
		synctest.Wait()
		if n := running.Load(); n != 3+4 {
			t.Errorf("%d tasks at a time, want 7", n)
		}
		close(end)
	})
}

// TestCores: by default as many tasks run at a time as the program may use cores, and Cores
// does not change that setting.
func TestCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if first, again := Cores(), Cores(); first != 3 || again != 3 {
		t.Fatalf("%d cores, then %d, want 3", first, again)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ workers, want int }{{0, 3}, {1, 1}, {2, 2}} {
			for name, start := range map[string]func(task func()){
				"Each": func(task func()) { Each(9, c.workers, func(_, _ int) { task() }) },
				"ForEach": func(task func()) {
					ForEach(t.Context(), 9, c.workers, func(int) error { task(); return nil }) //nolint:errcheck // nil
				},
			} {
				var running atomic.Int64
				end := make(chan struct{})
				go start(func() {
					running.Add(1)
					<-end
				})
				synctest.Wait()
				if n := running.Load(); n != int64(c.want) {
					t.Errorf("%s with %d workers: %d tasks at a time, want %d", name, c.workers, n, c.want)
				}
				close(end)
				synctest.Wait()
			}
		}
	})
}

// TestLowestError: a task fails before one with a lower number does; the lower one's error is
// returned, and no task starts after an error.
func TestLowestError(t *testing.T) {
	var started atomic.Int64
	above := make(chan struct{})
	err := ForEach(context.Background(), 100, 2, func(i int) error {
		started.Add(1)
		switch i {
		case 0:
			<-above
		case 1:
			close(above)
		}
		return fmt.Errorf("task %d", i)
	})
	if err == nil || err.Error() != "task 0" || started.Load() != 2 {
		t.Errorf("%v after %d tasks, want task 0 after 2", err, started.Load())
	}
}

// TestContext: the context's error is returned before a task's, and no task starts after it.
func TestContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	started := 0
	err := ForEach(ctx, 10, 1, func(i int) error {
		started++
		stop()
		return nil
	})
	if !errors.Is(err, context.Canceled) || started != 1 {
		t.Errorf("%v after %d tasks", err, started)
	}
	ended, end := context.WithCancel(context.Background())
	err = ForEach(ended, 1, 1, func(int) error { end(); return errors.New("the task's own") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an error of a task hides that of the context: %v", err)
	}
	err = ForEach(ctx, 3, 0, func(i int) error { t.Error("a task in an ended context"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPanic: when a caller recovers from a panic in its own task, no worker is running.
func TestPanic(t *testing.T) {
	var busy atomic.Int64
	fallen := make(chan struct{}) // until it is closed, no other worker gets a second task
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		Each(3, 3, func(worker, _ int) {
			if worker == 0 {
				close(fallen)
				panic("the caller's")
			}
			busy.Add(1)
			<-fallen
			runtime.Gosched()
			busy.Add(-1)
		})
		t.Error("it returns")
	}()
	if busy.Load() != 0 {
		t.Error("others are still at work")
	}
}

// BenchmarkEach measures the overhead, with empty tasks.
func BenchmarkEach(b *testing.B) {
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			Each(64, 0, func(_, _ int) {})
		}
	})
	b.Run("foreach", func(b *testing.B) {
		for b.Loop() {
			if err := ForEach(b.Context(), 64, 0, func(int) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

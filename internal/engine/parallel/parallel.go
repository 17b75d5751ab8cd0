// Package parallel runs many tasks on several cores. Results never depend on the schedule: a
// task writes only to places that belong to its number, and callers combine results in the
// order of numbers. Results are therefore bit-identical on any number of cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Cores is the default number of goroutines.
func Cores() int { return runtime.GOMAXPROCS(0) }

// ForEach calls do(0) … do(n−1), in this order, on the given number of goroutines (0 = Cores),
// and waits. After an error or the end of ctx it starts no further call. Background work yields
// to the foreground before each call (see Foreground). It returns the error of ctx, or else the
// error with the lowest i, which does not depend on timing.
func ForEach(ctx context.Context, n, workers int, do func(i int) error) error {
	if workers <= 0 {
		workers = Cores()
	}
	var next atomic.Int64
	failed := make([]error, n)
	group, going := errgroup.WithContext(ctx)
	// Each goroutine takes the next task itself. With errgroup's SetLimit there would be a
	// goroutine per task, which takes ten times as long, and after an error it would depend on
	// timing whether a task below the failed one has run.
	for range min(n, workers) {
		group.Go(func() error {
			for Yield(going) == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if failed[i] = do(i); failed[i] != nil {
					return failed[i]
				}
			}
			return nil
		})
	}
	first := group.Wait()
	if err := ctx.Err(); err != nil || first == nil {
		return err
	}
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return first
}

// Each calls do(worker, 0) … do(worker, n−1), in this order, on at most the given number of
// goroutines (0 = Cores), and waits. worker is below that number and identifies a goroutine, so
// buffers can be kept per worker. It is meant for loops that run many times a second: the
// caller is one of the workers, and tasks return no error.
func Each(n, workers int, do func(worker, i int)) {
	if workers <= 0 {
		workers = Cores()
	}
	if workers = min(n, workers); workers <= 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(worker, i)
		}
	}
	// A WaitGroup instead of an errgroup: tasks return no error, and creating a group with a
	// context takes longer than a short loop.
	var group sync.WaitGroup
	defer group.Wait() // also after a panic in the caller's own task
	for h := 1; h < workers; h++ {
		group.Go(func() { work(h) })
	}
	work(0)
}

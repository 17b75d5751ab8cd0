// Package parallel does many tasks on several cores. Which goroutine does a task
// and when never matters: a task writes only what belongs to its number, and
// whoever adds results up does so in the order of their numbers. So a result has
// the same bits on any number of cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Cores is the number of goroutines that work where none is named.
func Cores() int { return runtime.GOMAXPROCS(0) }

// ForEach calls do(0) … do(n−1), the lowest first, on that number of goroutines
// (0: Cores), and waits. After an error or the end of the context it starts no
// further call. In the background it yields to the foreground before each call
// (see Foreground). It returns the error of the context, or else that of the
// lowest i that failed, which is the same in every run.
func ForEach(ctx context.Context, n, workers int, do func(i int) error) error {
	if workers <= 0 {
		workers = Cores()
	}
	var next atomic.Int64
	failed := make([]error, n)
	group, going := errgroup.WithContext(ctx)
	// The goroutines take tasks themselves. SetLimit would start one for each
	// task, which takes ten times as long, and after an error it would depend on
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

// Each calls do(worker, 0) … do(worker, n−1), the lowest first, on at most so
// many goroutines (0: on as many as Cores), and waits. A worker is a number
// below that, and does one task at a time: what a task needs for itself can be
// kept by worker. It is made for loops that run many times a second: the caller
// is one of the workers, and nothing can fail.
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
	// No errgroup: a task has no error to return, and starting a group with its
	// context takes longer than a short loop can afford.
	var group sync.WaitGroup
	defer group.Wait() // after a panic of the caller's own task too
	for h := 1; h < workers; h++ {
		group.Go(func() { work(h) })
	}
	work(0)
}

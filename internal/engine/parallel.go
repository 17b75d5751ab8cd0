package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do(0) … do(n−1) on all cores and waits. After an error or a
// cancel no further call starts; the error of the lowest i that ran wins.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		errors = make([]error, n)
	)
	work := func() {
		for !failed.Load() && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errors[i] = do(i); errors[i] != nil {
				failed.Store(true)
			}
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(work)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

package boost

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls task(worker, 0) … task(worker, n−1), on all cores if wide. Which
// worker takes a task must not matter to the result.
func each(n int, wide bool, task func(worker, i int)) {
	helpers := min(n, runtime.GOMAXPROCS(0)) - 1
	if !wide || helpers <= 0 {
		for i := range n {
			task(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			task(worker, i)
		}
	}
	var group sync.WaitGroup
	for h := range helpers {
		group.Go(func() { work(h + 1) })
	}
	work(0)
	group.Wait()
}

// workers is the number of different workers each may use.
func workers() int { return runtime.GOMAXPROCS(0) }

package potential

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallelWork is the number of multiplications below which one core is
// faster.
const parallelWork = 1 << 16

// spread calls task(0) … task(n−1), on all cores if the work is worth it. A
// task writes only its own results, so it never matters who ran it.
func spread(n, work int, task func(int)) {
	cores := min(n, runtime.GOMAXPROCS(0))
	if cores < 2 || work < parallelWork {
		for i := range n {
			task(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range cores {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				task(i)
			}
		})
	}
	group.Wait()
}

const (
	minBlock  = 256 // rows
	maxBlocks = 128
)

// blocks cuts n rows into blocks whose borders depend on n alone.
type blocks struct{ n, size, count int }

func newBlocks(n int) blocks {
	size := max(minBlock, (n+maxBlocks-1)/maxBlocks)
	return blocks{n, size, (n + size - 1) / size}
}

func (b blocks) span(k int) (lo, hi int) { return k * b.size, min((k+1)*b.size, b.n) }

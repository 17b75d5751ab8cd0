package multiclass

import "taper/internal/engine/parallel"

// parallelWork is the number of multiplications below which one core is faster.
const parallelWork = 1 << 16

// spread calls task(0) … task(n−1), on all cores if the work is large enough. A task must write only its
// own results; then it does not matter which core ran it.
func spread(n, work int, task func(int)) {
	workers := 1
	if work >= parallelWork {
		workers = 0
	}
	parallel.Each(n, workers, func(_, i int) { task(i) })
}

const (
	minBlock  = 256 // smallest number of rows
	maxBlocks = 128
)

// blocks divides n rows into blocks in a way that depends on n alone.
type blocks struct{ n, size, count int }

func newBlocks(n int) blocks {
	size := max(minBlock, (n+maxBlocks-1)/maxBlocks)
	return blocks{n, size, (n + size - 1) / size}
}

func (b blocks) span(k int) (lo, hi int) { return k * b.size, min((k+1)*b.size, b.n) }

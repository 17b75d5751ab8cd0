package boost

import (
	"math"

	"taper/internal/engine/parallel"
)

// tie is how much smaller an error must be to replace the best so far, so that rounding in the
// order of a sum cannot decide (docs/math.md, Margin alpha-loss).
const tie = 1e-12

// stump returns the one-split tree with the smallest weighted error, or false when no column
// varies. Ties go to the first column, the lowest threshold and the vote +1 above: candidates
// are tried in this order, and a later one must be better by more than tie.
func (f *fit) stump() (Tree, bool) {
	s := f.scanner()
	total := 0.0
	for _, g := range f.mass.dy {
		total += g
	}
	middle := 0.5 - f.mass.negative // a prefix sum of dy equal to this has error ½
	parallel.Each(s.order.d, s.order.workers, func(worker, j int) {
		if f.ctx.Err() == nil {
			s.least[j] = 0.5 - s.order.farthest(s.scratch[worker], f.mass.dy, total, middle, j)
		}
	})
	best, at, threshold, vote := math.Inf(1), -1, 0, 0.0
	for j, least := range s.least {
		if !(least < best-tie) {
			continue
		}
		for k, below := range s.order.sums(s.scratch[0], f.mass.dy, total, j) {
			up := f.mass.negative + below // error of +1 above: y = −1 above, y = +1 below
			if up < best-tie {
				best, at, threshold, vote = up, j, k, 1
			}
			if 1-up < best-tie {
				best, at, threshold, vote = 1-up, j, k, -1
			}
		}
	}
	if at < 0 {
		return Tree{}, false
	}
	return newStump(at, s.order.threshold(f.x, at, threshold), vote), true
}

// scanner holds the buffers of a scan over the columns.
type scanner struct {
	order   *order
	least   []float64   // smallest error of each column
	scratch [][]float64 // sums at the thresholds of a column, one buffer per worker
}

func (f *fit) scanner() *scanner {
	if f.scan == nil {
		f.scan = &scanner{order: f.order, least: make([]float64, f.order.d), scratch: make([][]float64, f.order.workers)}
		for w := range f.scan.scratch {
			f.scan.scratch[w] = make([]float64, f.order.n)
		}
	}
	return f.scan
}

// newStump returns a tree with one split, which votes vote above the threshold and −vote below.
func newStump(feature int, threshold, vote float64) Tree {
	return Tree{Nodes: []Node{{Feature: feature, Threshold: threshold, Below: 1, Above: 2}, {Vote: -vote}, {Vote: vote}}}
}

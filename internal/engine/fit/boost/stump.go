package boost

import (
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// tie is how much smaller an error must be to replace the best so far, so that rounding in the
// order of a sum cannot decide (docs/math.md, Margin alpha-loss).
const tie = 1e-12

// scanner finds the stump with the smallest weighted error. With labels ±1 the error at a threshold depends on the
// signed weight of the rows below alone. The sums of blocks of rows give it at the ends of blocks, and bound it inside,
// so that few blocks are looked at row by row.
type scanner struct {
	f       *fit
	columns []column
	idle    []int32 // rows without weight, which the order leaves out
	best    candidate
	middle  float64 // the signed weight below a threshold whose error is ½
}

// column holds the sums of a column's blocks.
type column struct {
	sums  []sum
	solid []bool  // blocks of a single level, without a threshold inside
	heavy int     // the largest of them, whose rows need not be added up; −1: none
	peak  float64 // largest distance from the middle at the end of a block
	bound float64 // upper bound for all thresholds
}

// candidate is a threshold below a place in the order of a column.
type candidate struct {
	error      float64
	column, at int
	above      float64 // the vote above
}

// prepare is called once the columns are sorted.
func (s *scanner) prepare() {
	o, count := s.f.order, 0
	for i, v := range s.f.mass.shares {
		if v == 0 {
			s.idle = append(s.idle, int32(i))
		}
	}
	for _, blocks := range o.blocks {
		count += len(blocks)
	}
	sums, solid := make([]sum, count), make([]bool, count)
	s.columns = make([]column, o.d)
	for j, blocks := range o.blocks {
		c := column{sums: sums[:len(blocks)], solid: solid[:len(blocks)], heavy: -1}
		sums, solid = sums[len(blocks):], solid[len(blocks):]
		most, next := int32(0), 0
		for k, b := range blocks {
			for next < len(o.ends[j]) && o.ends[j][next] <= b[0] {
				next++
			}
			c.solid[k] = next == len(o.ends[j]) || o.ends[j][next] >= b[1]
			if size := b[1] - b[0]; c.solid[k] && size > most {
				c.heavy, most = k, size
			}
		}
		s.columns[j] = c
	}
}

// tree returns the one-split tree with the smallest weighted error, or false when no column
// varies. Ties go to the first column, the lowest threshold and the vote +1 above: candidates
// are tried in this order, and a later one must be better by more than tie.
func (s *scanner) tree() (Tree, bool) {
	if s.columns == nil {
		s.prepare()
	}
	o, mass := s.f.order, s.f.mass
	s.middle = 0.5 - (mass.total.Weight-mass.total.Lean)/2
	parallel.Each(o.d, o.workers, func(_, j int) {
		if s.f.ctx.Err() == nil {
			s.add(j)
		}
	})
	peak := math.Inf(-1)
	for j := range s.columns {
		peak = max(peak, s.columns[j].peak)
	}
	s.best = candidate{error: math.Inf(1), column: -1}
	for j := range s.columns {
		if s.columns[j].bound > peak-slack {
			s.try(j, peak-slack)
		}
	}
	if s.best.column < 0 {
		return Tree{}, false
	}
	return newStump(s.best.column, o.threshold(s.f.x, s.best.column, s.best.at), s.best.above), true
}

// add adds up the blocks of a column.
func (s *scanner) add(j int) {
	o, c, mass := s.f.order, &s.columns[j], s.f.mass
	rows, blocks := o.rows[j*o.n:(j+1)*o.n], o.blocks[j]
	if c.heavy < 0 {
		vector.Sums(c.sums, mass.pairs, rows, blocks)
	} else {
		vector.Sums(c.sums[:c.heavy], mass.pairs, rows, blocks[:c.heavy])
		vector.Sums(c.sums[c.heavy+1:], mass.pairs, rows, blocks[c.heavy+1:])
		rest := mass.total
		for k, v := range c.sums {
			if k != c.heavy {
				rest.Weight, rest.Lean = rest.Weight-v.Weight, rest.Lean-v.Lean
			}
		}
		c.sums[c.heavy] = rest
	}
	below := -s.middle
	c.peak, c.bound = math.Inf(-1), math.Inf(-1)
	for k, v := range c.sums {
		if !c.solid[k] {
			c.bound = max(c.bound, inside(below, v))
		}
		below += v.Lean
		if k < len(blocks)-1 {
			c.peak = max(c.peak, math.Abs(below))
		}
	}
	c.bound = max(c.bound, c.peak)
}

// inside bounds the distance from the middle inside a block, from the distance at its start.
func inside(below float64, v sum) float64 {
	return max(below+(v.Weight+v.Lean)/2, (v.Weight-v.Lean)/2-below)
}

// try looks for better stumps in a column, at the ends of its blocks and inside those whose bound is above floor.
func (s *scanner) try(j int, floor float64) {
	o, c := s.f.order, &s.columns[j]
	rows, ends, below := o.rows[j*o.n:(j+1)*o.n], o.ends[j], -s.middle
	for k, b := range o.blocks[j] {
		if !c.solid[k] && inside(below, c.sums[k]) > floor {
			next, _ := slices.BinarySearch(ends, b[0]+1)
			sum := below
			for at := b[0] + 1; at < b[1] && next < len(ends); at++ {
				sum += s.f.mass.pairs[rows[at-1]].Lean
				if ends[next] == at {
					s.offer(j, int(at), sum)
					next++
				}
			}
		}
		below += c.sums[k].Lean
		if int(b[1]) < o.n {
			s.offer(j, int(b[1]), below)
		}
	}
}

// offer replaces the best stump by one whose threshold lies at a distance from the middle, if it is better.
func (s *scanner) offer(j, at int, distance float64) {
	if e := 0.5 + distance; e < s.best.error-tie { // y = −1 above, y = +1 below
		s.best = candidate{error: e, column: j, at: at, above: 1}
	}
	if e := 0.5 - distance; e < s.best.error-tie {
		s.best = candidate{error: e, column: j, at: at, above: -1}
	}
}

// newStump returns a tree with one split, which votes vote above the threshold and −vote below.
func newStump(feature int, threshold, vote float64) Tree {
	return Tree{Nodes: []Node{{Feature: feature, Threshold: threshold, Below: 1, Above: 2}, {Vote: -vote}, {Vote: vote}}}
}

// signs stores y·h for the best stump, with this threshold. Rows on the smaller side are turned one by one.
func (s *scanner) signs(threshold float64, u []float64) {
	o, x, below, above := s.f.order, s.f.x, s.f.mass.opposite, s.f.y
	rows := o.rows[s.best.column*o.n:][:o.n]
	if s.best.above < 0 {
		below, above = above, below
	}
	if 2*s.best.at <= o.n {
		copy(u, above)
		for _, r := range rows[:s.best.at] {
			u[r] = below[r]
		}
	} else {
		copy(u, below)
		for _, r := range rows[s.best.at:] {
			u[r] = above[r]
		}
	}
	for _, r := range s.idle {
		u[r] = above[r]
		if !(x.Data[int(r)*x.Cols+s.best.column] > threshold) {
			u[r] = below[r]
		}
	}
}

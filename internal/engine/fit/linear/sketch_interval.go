package linear

import (
	"math"
	"slices"

	"taper/internal/engine/vector"
)

// A large interval fit starts from the fit of a sample of the rows, like the smooth ones. Its first width is about
// how far the sample's scores are from those of all rows, and the center of a row's envelope is the middle of the two
// slopes of the nearest kink, which is where its multiplier lies if the row is at the kink.
const (
	intervalLeast = 64   // rows per column from which a large fit starts from a sample
	intervalShare = 256  // one row of so many is sampled,
	intervalRows  = 50   // but at least so many per column
	intervalGap   = 1e-3 // relative gap to reach over the sample
	intervalWidth = 0.1  // first width over all rows
)

// many reports whether a fit sees all rows only a few times.
func (x Matrix) many() bool { return x.Rows*x.Cols >= sketchCells && x.Rows > intervalLeast*x.Cols }

// sketches reports whether the first fit of these rows starts from a sample.
func (o *IntervalOptions) sketches(x Matrix) bool {
	return x.many() && o.Start == nil && o.Solver != SolverSubgradient
}

// sketched moves to the minimum over a sample and sets up the first stage over all rows, for which it reads them once.
// It reports whether the sample serves.
func (s *newton) sketched(first *stage, o IntervalOptions) (bool, error) {
	at, set := s.set.draw(max(s.set.x.Rows/intervalShare, intervalRows*(s.set.x.Cols+1)))
	s.rows.spread(func(lo, hi int) { set.copy(s.set, at, lo, hi) })
	if !set.weigh(s.set.v, at) { // one class has no weight in the sample
		return false, s.rows.finite()
	}
	part := newNewton(s.ctx, set, s.side, s.team)
	part.l2, part.large, part.none = s.l2, true, math.Inf(1)
	copy(part.theta, s.theta)
	part.rows.apply(part.f, part.theta)
	part.bend(first.width)
	wanted := o.Gap
	o.Gap = math.Max(o.Gap, intervalGap)
	if _, err := part.run(*first, o); err != nil {
		return false, err
	}
	copy(s.theta, part.best)
	_, objective := part.gap()
	*first = stage{width: intervalWidth, tol: 0.25 * wanted * math.Max(objective, gapFloor)}
	s.smooth(first.width)
	if !(s.spread() <= largestCell*largestCell) { // one cell may be too large, or none
		if err := s.rows.finite(); err != nil {
			return false, err
		}
	}
	s.turn()
	return true, nil
}

// spread bends all rows about the middles, and returns the largest sum of a column's squares, or NaN.
func (s *newton) spread() float64 {
	d := s.set.x.Cols
	middles, squares := newMiddles(s.side), make([]float64, s.rows.count*d)
	origin, even := make([]float64, d), make([]float64, slice)
	for i := range even {
		even[i] = 1
	}
	s.rows.both(s.f, s.theta, s.vt, func(block, lo, hi int) {
		vector.Squares(squares[block*d:(block+1)*d], s.set.x.Data[lo*d:hi*d], origin, even[:hi-lo])
		middles.Levels(s.center[lo:hi], s.vt[lo:hi], s.bent[lo:hi], s.f[lo:hi], s.df[lo:hi], s.set.v[lo:hi],
			s.set.side[lo:hi], 0)
		s.bendRows(lo, hi)
	})
	return slices.Max(squares)
}

// newMiddles returns the middle of the slopes before and after the kink nearest to a score.
func newMiddles(side [2]kinks) *vector.Ramps {
	count := len(side[0].at)
	r := vector.NewRamps(max(1, count-1))
	r.Rise(math.MaxFloat64) // steps
	for c, k := range side {
		middle := func(j int) float64 { return (k.slope[j] + k.slope[j+1]) / 2 }
		for j := range max(1, count-1) {
			next := min(j+1, count-1)
			r.Set(j, c, (k.at[j]+k.at[next])/2, middle(j), middle(next))
		}
	}
	return r
}

package linear

import "math"

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

// sketched moves to the minimum over a sample and returns the first stage over all rows.
func (s *newton) sketched(usual stage, o IntervalOptions) (stage, error) {
	at, set := s.set.draw(max(s.set.x.Rows/intervalShare, intervalRows*(s.set.x.Cols+1)))
	s.rows.spread(func(lo, hi int) { set.copy(s.set, at, lo, hi) })
	if !set.weigh(s.set.v, at) {
		return usual, nil
	}
	part := newNewton(s.ctx, set, s.side, s.team)
	part.l2, part.large, part.none = s.l2, true, math.Inf(1)
	copy(part.theta, s.theta)
	part.rows.apply(part.f, part.theta)
	wanted := o.Gap
	o.Gap = math.Max(o.Gap, intervalGap)
	if _, err := part.run(usual, o); err != nil {
		return usual, err
	}
	copy(s.theta, part.best)
	s.rows.apply(s.f, s.theta)
	s.rows.spread(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.center[i] = s.side[s.set.side[i]].middle(s.f[i])
		}
	})
	_, objective := part.gap()
	return stage{width: intervalWidth, tol: 0.25 * wanted * math.Max(objective, gapFloor)}, nil
}

// middle returns the middle of the slopes before and after the kink nearest to f.
func (k *kinks) middle(f float64) float64 {
	j := 0
	for j+1 < len(k.at) && f >= (k.at[j]+k.at[j+1])/2 {
		j++
	}
	return (k.slope[j] + k.slope[j+1]) / 2
}

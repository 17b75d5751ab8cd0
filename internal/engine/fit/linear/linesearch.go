package linear

import "math"

// lineSearch finds the zero of the smoothed objective's derivative along the step. The derivative is
// increasing and piecewise linear, so a bracketed Newton's method needs only a few evaluations.
type lineSearch struct {
	s            *newton
	alpha        float64   // current point, finally the result
	part         []float64 // two sums per block: derivative and curvature
	slope, curve float64   // λ w·p and λ p·p: contributions of the penalty
	fn           func(int)
}

func (l *lineSearch) init(s *newton) {
	*l = lineSearch{s: s, part: make([]float64, 2*s.rows.count)}
	l.fn = l.block
}

const (
	searchTol   = 0.05 // relative to the slope at 0
	searchEvals = 60
)

// start prepares the search of a step, whose first point is the whole step.
func (l *lineSearch) start() {
	w, p := l.s.theta[:len(l.s.theta)-1], l.s.step[:len(l.s.step)-1]
	l.slope, l.curve = l.s.l2*dot(w, p), l.s.l2*dot(p, p)
	l.alpha = 1
	clear(l.part)
}

// run returns the step length, or 0 when none decreases the objective. It continues from the sums of all blocks at
// the whole step. start is the derivative at 0, which must be negative.
func (l *lineSearch) run(start float64) float64 {
	lo, hi := 0.0, math.Inf(1)
	for k := range searchEvals {
		if k > 0 {
			l.s.team.run(l.s.rows.count, &l.fn)
		}
		g, h := l.total()
		if math.Abs(g) <= searchTol*-start {
			return l.alpha
		}
		if g < 0 {
			lo = l.alpha
		} else {
			hi = l.alpha
		}
		switch next := l.alpha - g/h; {
		case next > lo && next < hi && next <= 64*l.alpha:
			l.alpha = next
		case math.IsInf(hi, 1):
			l.alpha *= 4
		default:
			l.alpha = (lo + hi) / 2
		}
	}
	l.alpha = lo
	return lo
}

// total returns the first and second derivative at alpha.
func (l *lineSearch) total() (g, h float64) {
	g, h = l.slope+l.alpha*l.curve, l.curve
	for k := 0; k < len(l.part); k += 2 {
		g += l.part[k]
		h += l.part[k+1]
	}
	return g, h
}

func (l *lineSearch) block(k int) {
	s := l.s
	lo, hi := s.rows.span(k)
	l.part[2*k], l.part[2*k+1] = s.ramps.Along(s.u[lo:hi], s.df[lo:hi], s.set.v[lo:hi], s.set.side[lo:hi], l.alpha)
}

package train

import "math"

// lineSearch finds the zero of the bent objective's derivative along the step.
// The derivative is increasing and piecewise linear, so Newton inside a
// bracket ends in a few evaluations.
type lineSearch struct {
	s           *newton
	alpha       float64
	part        []float64 // two sums a block: derivative and curvature
	wSlope, wSq float64   // λ w·p and λ p·p: the penalty's share
	fn          func(int)
}

func (l *lineSearch) init(s *newton) {
	*l = lineSearch{s: s, part: make([]float64, 2*s.rows.count)}
	l.fn = l.block
}

const (
	searchTol   = 0.05 // of the slope at zero
	searchEvals = 40
)

// run returns the step length, 0 when there is none. slope is the derivative
// at zero, negative.
func (l *lineSearch) run(slope float64) float64 {
	d := len(l.s.step) - 1
	l.wSlope = l.s.l2 * dot(l.s.theta[:d], l.s.step[:d])
	l.wSq = l.s.l2 * dot(l.s.step[:d], l.s.step[:d])
	lo, hi, alpha := 0.0, math.Inf(1), 1.0
	for range searchEvals {
		g, h := l.eval(alpha)
		if math.Abs(g) <= searchTol*-slope {
			return alpha
		}
		if g < 0 {
			lo = alpha
		} else {
			hi = alpha
		}
		next := alpha - g/h
		switch {
		case next > lo && next < hi && !math.IsInf(next, 0):
			alpha = next
		case math.IsInf(hi, 1):
			alpha *= 4
		default:
			alpha = (lo + hi) / 2
		}
	}
	return lo
}

// eval returns the derivative and its slope at alpha.
func (l *lineSearch) eval(alpha float64) (g, h float64) {
	l.alpha = alpha
	l.s.team.run(l.s.rows.count, l.fn)
	g, h = l.wSlope+alpha*l.wSq, l.wSq
	for k := 0; k < len(l.part); k += 2 {
		g += l.part[k]
		h += l.part[k+1]
	}
	return g, h
}

func (l *lineSearch) block(k int) {
	s := l.s
	lo, hi := s.rows.span(k)
	g, h := 0.0, 0.0
	for i := lo; i < hi; i++ {
		c := &s.side[s.set.side[i]]
		u := s.u[i] + l.alpha*s.df[i]
		z := c.locate(s.state[i], u)
		vd := s.set.v[i] * s.df[i]
		g += vd * (c.base[z] + c.rate[z]*(u-c.from[z]))
		h += vd * s.df[i] * c.rate[z]
	}
	l.part[2*k], l.part[2*k+1] = g, h
}

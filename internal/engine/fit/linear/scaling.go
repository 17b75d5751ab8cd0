package linear

import (
	"math"

	"taper/internal/engine/vector"
)

// scaling centres and scales the columns inside the solver only; the penalty still applies to the user's
// weights. With D the curvature of the objective at a constant score, the solver's variables are u = √D·w
// and c = √D₀·(b + m·w), so that L-BFGS needs about the same number of iterations for columns of any unit
// and mean.
type scaling struct {
	mean     []float64
	variance []float64
	spread   float64   // p(1−p), the curvature per row
	root     []float64 // √D; the last entry is √D₀
}

// newScaling computes the weighted moments of the columns. It returns an error for a cell that is not
// finite.
func newScaling(e *entropy) (*scaling, error) {
	x, d := e.set.x, e.set.x.Cols
	s := &scaling{mean: make([]float64, d+1), variance: make([]float64, d), spread: e.set.mass[0] * e.set.mass[1],
		root: make([]float64, d+1)}
	e.rows.adjoint(s.mean, e.set.v)
	squares := func(k int) {
		lo, hi := e.rows.span(k)
		sq := e.rows.part[k*(d+1) : (k+1)*(d+1)]
		clear(sq)
		vector.Squares(sq[:d], x.Data[lo*d:hi*d], s.mean, e.set.v[lo:hi])
	}
	e.rows.team.run(e.rows.count, &squares)
	sum := make([]float64, d+1)
	e.rows.sum(sum)
	copy(s.variance, sum)
	for _, q := range sum {
		if q-q != 0 {
			return nil, finite(x)
		}
	}
	return s, nil
}

func (s *scaling) prepare(l2 float64) {
	d := len(s.variance)
	for j, q := range s.variance {
		s.root[j] = math.Sqrt(l2 + s.spread*q)
	}
	s.root[d] = math.Sqrt(s.spread)
}

// to stores the solver's point for theta.
func (s *scaling) to(dst, theta []float64) {
	d := len(s.variance)
	c := theta[d]
	for j, w := range theta[:d] {
		dst[j] = w * s.root[j]
		c += w * s.mean[j]
	}
	dst[d] = c * s.root[d]
}

// from stores theta for the solver's point.
func (s *scaling) from(theta, p []float64) {
	d := len(s.variance)
	b := p[d] / s.root[d]
	for j := range theta[:d] {
		theta[j] = p[j] / s.root[j]
		b -= theta[j] * s.mean[j]
	}
	theta[d] = b
}

// gradient converts a gradient in theta to the solver's coordinates.
func (s *scaling) gradient(dst, grad []float64) {
	d := len(s.variance)
	for j, g := range grad[:d] {
		dst[j] = (g - s.mean[j]*grad[d]) / s.root[j]
	}
	dst[d] = grad[d] / s.root[d]
}

// fromZero scales the columns without centring them, for a fit without an intercept.
func (s *scaling) fromZero() {
	for j, m := range s.mean[:len(s.variance)] {
		s.variance[j] += m * m
	}
	clear(s.mean)
}

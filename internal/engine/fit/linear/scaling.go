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
// finite. Where the fit starts from a sample of the rows, the same reading of the rows copies them.
func newScaling(e *entropy) (*scaling, error) {
	d := e.set.x.Cols
	s := &scaling{mean: make([]float64, d+1), variance: make([]float64, d), spread: e.set.mass[0] * e.set.mass[1],
		root: make([]float64, d+1)}
	if count := e.sampled(); count > 0 && !e.polishes() {
		s.once(e, count)
	} else {
		e.rows.adjoint(s.mean, e.set.v)
		copy(s.variance, s.squares(e, s.mean))
	}
	for _, q := range s.variance {
		if q-q != 0 {
			return nil, finite(e.set.x)
		}
	}
	return s, nil
}

// squares returns the weighted squared distances of the columns from the given numbers.
func (s *scaling) squares(e *entropy, from []float64) []float64 {
	d := e.set.x.Cols
	e.rows.spread(func(lo, hi int) {
		k := lo / e.rows.block
		sq := e.rows.part[k*(d+1) : (k+1)*(d+1)]
		clear(sq)
		vector.Squares(sq[:d], e.set.x.Data[lo*d:hi*d], from, e.set.v[lo:hi])
	})
	sum := make([]float64, d+1)
	e.rows.sum(sum)
	return sum[:d]
}

// once computes the moments in one reading of the rows, of squares about the means of the first rows, and takes the
// sample in the same reading.
func (s *scaling) once(e *entropy, count int) {
	d, x := e.set.x.Cols, e.set.x
	few := min(e.rows.block, x.Rows)
	near, even := make([]float64, d+1), make([]float64, few)
	for i := range even {
		even[i] = 1 / float64(few)
	}
	vector.Adjoint(near[:d], x.Data[:few*d], even, nil)
	e.sketch = e.draw(count)
	squares := make([]float64, e.rows.count*d)
	e.rows.spread(func(lo, hi int) {
		k := lo / e.rows.block
		sum, sq := e.rows.part[k*(d+1):(k+1)*(d+1)], squares[k*d:(k+1)*d]
		clear(sum)
		for ; lo < hi; lo += slice {
			end := min(lo+slice, hi)
			rows, by := x.Data[lo*d:end*d], e.set.v[lo:end]
			vector.Adjoint(sum[:d], rows, by, nil)
			vector.Squares(sq, rows, near, by)
			e.sketch.copy(e.set, lo, end)
		}
	})
	e.rows.sum(s.mean)
	for k := range e.rows.count {
		kernel.Daxpy(d, 1, squares[k*d:], 1, s.variance, 1)
	}
	for j := range s.variance {
		s.variance[j] = max(0, s.variance[j]-(s.mean[j]-near[j])*(s.mean[j]-near[j]))
	}
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

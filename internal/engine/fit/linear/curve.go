package linear

import (
	"math"

	"taper/internal/engine/vector"
)

// curves stores v·ℓ” of the rows from lo on at theta, for task k.
func (e *entropy) curves(f []float64, lo, k int) {
	d := e.set.x.Cols
	vector.Scores(f, e.set.x.Data[lo*d:(lo+len(f))*d], e.theta[:d], e.theta[d])
	if e.other != nil {
		e.other.curves(f, e.set, lo, k)
		return
	}
	for i, s := range f {
		q := math.Exp(-math.Abs(s))
		f[i] = e.set.v[lo+i] * q / ((1 + q) * (1 + q))
	}
}

// nearby is the step of the difference quotient of slopes that replaces a second derivative. Its error of
// 1e-8 is as large as what remains of the gradient after Newton's steps.
const nearby = 1e-4

// curves replaces the scores of the rows from lo on by v·ℓ”, in the memory of block k.
func (u *surrogate) curves(f []float64, set sample, lo, k int) {
	s, z, values, slopes := u.part(0, k, len(f)), u.part(1, k, len(f)), u.part(2, k, len(f)), u.part(3, k, len(f))
	for i, score := range f {
		s[i] = float64(2*int(set.side[lo+i]) - 1)
		z[i] = s[i]*score + nearby
	}
	u.eval(values, slopes, s, z)
	copy(f, slopes)
	for i := range z {
		z[i] -= 2 * nearby
	}
	u.eval(values, slopes, s, z)
	for i, up := range f {
		f[i] = set.v[lo+i] * (up - slopes[i]) / (2 * nearby)
		if set.v[lo+i] == 0 || f[i]-f[i] != 0 {
			f[i] = 0
		}
	}
}

// ridges returns the second derivatives of the penalty, which has no mixed ones.
func (e *entropy) ridges() []float64 {
	d := len(e.theta) - 1
	q := make([]float64, d)
	if e.prior == nil {
		for j := range q {
			q[j] = e.l2
		}
		return q
	}
	w, down := make([]float64, d), make([]float64, d)
	for j, v := range e.theta[:d] {
		w[j] = v + nearby
	}
	e.prior(w, q)
	for j := range w {
		w[j] -= 2 * nearby
	}
	e.prior(w, down)
	for j := range q {
		q[j] = (q[j] - down[j]) / (2 * nearby)
	}
	return q
}

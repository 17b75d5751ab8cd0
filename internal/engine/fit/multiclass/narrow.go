package multiclass

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// narrow solves for the Newton step where there are fewer curved directions than parameters, which is
// usual once most rows are at a corner. With the directions V, (λ + VᵀV)⁻¹ = (1 − Vᵀ(λ + V·Vᵀ)⁻¹V)/λ
// (Woodbury), and an entry of V·Vᵀ is a product of two rows times a product of two short vectors: the
// second-order sparsity of Li, Sun and Toh (SIAM J. Optim. 2018). Free offsets, which have no λ, follow
// from the Schur complement.
type narrow struct {
	*newton
	l2     float64   // λ plus a small amount against rounding
	rows   []float64 // inner products of the rows, lower triangle; nil for many rows
	factor []float64 // Cholesky factor of M = 1 + V·Vᵀ/λ
	y      []float64 // V·step
	offs   []float64 // M⁻¹ times the components of the directions in the free offsets
	schur  []float64
}

// solve stores the Newton step; false if rounding makes it impossible.
func (s *narrow) solve() bool {
	largest := s.largest()
	s.l2 = s.p.l2 + least*largest
	if !s.factorise() {
		return false
	}
	for j, g := range s.grad {
		s.step[j] = -g
	}
	s.project()
	s.back(s.y, 1)
	if s.p.head.free && !s.offsets(leastFree*largest) {
		return false
	}
	n := s.penalised()
	for j := range s.step[:n] {
		s.step[j] /= s.l2
	}
	for a, e := range s.bent {
		s.stepBy(-s.y[a]/s.l2, e)
	}
	return true
}

// stepBy adds scale·(z⊗x, b) to the penalised part of the step.
func (s *narrow) stepBy(scale float64, e bend) {
	d := s.x.Cols
	for l, v := range e.z {
		if v != 0 {
			axpy(scale*v, s.x.Row(e.row), s.step[l*d:(l+1)*d])
		}
	}
	if !s.p.head.free {
		axpy(scale, e.b, s.step[len(s.w):])
	}
}

// offsets stores the step of the free offsets and adds its contribution to y.
func (s *narrow) offsets(least float64) bool {
	q, r := len(s.bent), len(s.eta)
	s.offs, s.schur = resized(s.offs, q*r), resized(s.schur, r*r)
	for a, e := range s.bent {
		copy(s.offs[a*r:(a+1)*r], e.b)
	}
	s.back(s.offs, r)
	clear(s.schur)
	free := s.step[len(s.w):]
	for a, e := range s.bent {
		axpy(-s.y[a], e.b, free)
		for l, v := range e.b {
			axpy(v, s.offs[a*r:(a+1)*r], s.schur[l*r:(l+1)*r])
		}
	}
	for l := range r {
		s.schur[l*r+l] += least
	}
	l := lapack.Implementation{}
	if !l.Dpotrf(blas.Lower, r, s.schur, r) {
		return false
	}
	l.Dpotrs(blas.Lower, r, 1, s.schur, r, free, 1)
	for a := range s.bent {
		s.y[a] += dot(s.offs[a*r:(a+1)*r], free)
	}
	return true
}

// largest returns the largest entry on the Hessian's diagonal.
func (s *narrow) largest() float64 {
	d := s.x.Cols
	sum := make([]float64, len(s.theta))
	for j := range s.penalised() {
		sum[j] = s.p.l2
	}
	for _, e := range s.bent {
		x := s.x.Row(e.row)
		for l, v := range e.z {
			if v != 0 {
				for j, c := range x {
					sum[l*d+j] += v * v * c * c
				}
			}
		}
		for l, v := range e.b {
			sum[len(s.w)+l] += v * v
		}
	}
	most := 0.0
	for _, v := range sum {
		most = max(most, v)
	}
	return most
}

// factorise stores the factor of M = 1 + V·Vᵀ/λ.
func (s *narrow) factorise() bool {
	q := len(s.bent)
	s.factor = resized(s.factor, q*q)
	s.multiply()
	const stripe = 16
	spread((q+stripe-1)/stripe, q*q*s.x.Cols/2, func(b int) {
		for a := b * stripe; a < min((b+1)*stripe, q) && s.ctx.Err() == nil; a++ {
			s.fill(a)
		}
	})
	l := lapack.Implementation{}
	return q == 0 || s.ctx.Err() == nil && l.Dpotrf(blas.Lower, q, s.factor, q)
}

// fill computes row a of M up to its diagonal.
func (s *narrow) fill(a int) {
	own, to := s.bent[a], s.factor[a*len(s.bent):]
	row, product := -1, 0.0
	for b, e := range s.bent[:a+1] {
		sum := 0.0
		if !s.p.head.free {
			sum = dot(own.b, e.b)
		}
		if z := dot(own.z, e.z); z != 0 {
			if e.row != row {
				row, product = e.row, s.product(own.row, e.row)
			}
			sum += z * product
		}
		to[b] = sum / s.l2
	}
	to[a]++
}

// productsOf is the largest number of rows whose inner products are kept (8 MB).
const productsOf = 1000

// multiply computes the inner products once, for few rows.
func (s *narrow) multiply() {
	n, d := s.x.Rows, s.x.Cols
	if s.rows != nil || n > productsOf {
		return
	}
	s.rows = make([]float64, n*n)
	const stripe = 64
	spread((n+stripe-1)/stripe, n*n*d/2, func(b int) {
		lo, hi := b*stripe, min((b+1)*stripe, n)
		blasKernel.Dgemm(blas.NoTrans, blas.Trans, hi-lo, hi, d, 1, s.x.Data[lo*d:], d, s.x.Data, d, 0, s.rows[lo*n:], n)
	})
}

// product returns x_i·x_j, j ≤ i.
func (s *narrow) product(i, j int) float64 {
	if s.rows != nil {
		return s.rows[i*s.x.Rows+j]
	}
	return inner(s.x.Row(i), s.x.Row(j))
}

// project fills y with V·step/λ.
func (s *narrow) project() {
	d := s.x.Cols
	s.y = resized(s.y, len(s.bent))
	for a, e := range s.bent {
		x, sum := s.x.Row(e.row), 0.0
		for l, v := range e.z {
			if v != 0 {
				sum += v * inner(s.step[l*d:(l+1)*d], x)
			}
		}
		if !s.p.head.free {
			sum += dot(e.b, s.step[len(s.w):])
		}
		s.y[a] = sum / s.l2
	}
}

// back solves M for n right-hand sides, the columns of y.
func (s *narrow) back(y []float64, n int) {
	if len(s.bent) == 0 {
		return
	}
	l := lapack.Implementation{}
	l.Dpotrs(blas.Lower, len(s.bent), n, s.factor, len(s.bent), y, n)
}

// resized returns a slice of length n, reusing the memory of v where it suffices.
func resized(v []float64, n int) []float64 {
	return slices.Grow(v[:0], n)[:n]
}

package multiclass

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
)

// find lists the directions in which the smoothed losses are curved, an orthonormal basis per row.
func (t *newton) find() {
	m, r := t.p.head.m, t.p.head.r
	t.bent = t.bent[:0]
	for i, v := range t.p.v {
		if v == 0 {
			continue
		}
		if i%breath == 0 && t.ctx.Err() != nil {
			return
		}
		for _, q := range t.bends(i) {
			short := make([]float64, m+r)
			e := bend{i, short[:m], short[m:]}
			t.p.head.back(e.z, e.b, q, math.Sqrt(v/t.sigma))
			t.bent = append(t.bent, e)
		}
	}
}

// assemble fills the Hessian, λ + Σ (v/σ) Σ_q (Sᵀq⊗x, Bᵀq)(…)ᵀ.
func (t *newton) assemble() {
	size := len(t.theta)
	t.hess = resized(t.hess, size*size)
	clear(t.hess)
	for j := range t.penalised() {
		t.hess[j*size+j] = t.p.l2
	}
	for n, e := range t.bent {
		if n%breath == 0 && t.ctx.Err() != nil {
			return
		}
		t.push(e)
	}
	t.flush()
	largest := 0.0
	for j := range size {
		largest = max(largest, t.hess[j*size+j])
	}
	for j := range size {
		t.hess[j*size+j] += least * largest
	}
	for j := t.penalised(); j < size; j++ {
		t.hess[j*size+j] += leastFree * largest
	}
}

const (
	batch        = 512   // directions per batch
	insideShare  = 1e-13 // smallest share of a corner that counts as used
	independence = 1e-8  // smallest part of a direction outside the span of the earlier ones
	least        = 1e-14 // relative to the largest diagonal entry: added to the diagonal against rounding
	leastFree    = 1e-10 // the same for a free offset without any curved row
)

// bends returns an orthonormal basis of the differences of a row's used corners.
func (t *newton) bends(i int) [][]float64 {
	var basis [][]float64
	for _, h := range t.hulls[i*t.parts : (i+1)*t.parts] {
		first := -1
		for j, e := range h {
			switch {
			case e.a <= insideShare:
			case first < 0:
				first = j
			default:
				basis = extend(basis, h[first].g, e.g)
			}
		}
	}
	return basis
}

// extend appends the component of b − a orthogonal to the basis.
func extend(basis [][]float64, a, b []float64) [][]float64 {
	q := make([]float64, len(a))
	for j := range q {
		q[j] = b[j] - a[j]
	}
	length := math.Sqrt(dot(q, q))
	for range 2 { // repeated to remove rounding
		for _, e := range basis {
			axpy(-dot(e, q), e, q)
		}
	}
	norm := math.Sqrt(dot(q, q))
	if norm <= independence*length {
		return basis
	}
	for j := range q {
		q[j] /= norm
	}
	return append(basis, q)
}

// push adds a direction to the batch.
func (t *newton) push(e bend) {
	size, d := len(t.theta), t.x.Cols
	at := len(t.vectors)
	t.vectors = slices.Grow(t.vectors, size)[:at+size]
	to := t.vectors[at:]
	clear(to)
	copy(to[len(t.w):], e.b)
	for l, v := range e.z {
		if v != 0 {
			axpy(v, t.x.Row(e.row), to[l*d:(l+1)*d])
		}
	}
	if len(t.vectors) >= batch*size {
		t.flush()
	}
}

// flush adds the batch to the Hessian's lower triangle, in stripes.
func (t *newton) flush() {
	size := len(t.theta)
	n := len(t.vectors) / size
	if n == 0 {
		return
	}
	const stripe = 64
	spread((size+stripe-1)/stripe, n*size*size, func(b int) {
		lo, hi := b*stripe, min((b+1)*stripe, size)
		blasKernel.Dgemm(blas.Trans, blas.NoTrans, hi-lo, hi, n, 1, t.vectors[lo:], size, t.vectors, size, 1,
			t.hess[lo*size:], size)
	})
	t.vectors = t.vectors[:0]
}

// bend is a direction in which the smoothed loss of a row is curved. The Hessian is λ plus the products
// (z⊗x, b)(z⊗x, b)ᵀ.
type bend struct {
	row  int
	z, b []float64 // √(v/σ)·Sᵀq and √(v/σ)·Bᵀq
}

// newton continues where sweeps are slow, with small penalties, by the method of multipliers. Each row's
// loss is smoothed over a width σ about the current multiplier (Moreau envelope: its slope u is a mixture
// of corners, so it is a dual point), the smoothed problem is solved by Newton steps, and σ decreases
// until the gap is proven (Li, Sun and Toh, SIAM J. Optim. 2018). Where a row's point is a mixture of
// corners, its loss is curved in the span of their differences and linear in the other directions.
type newton struct {
	*sweeper
	sigma    float64
	fall     float64 // σ is divided by it
	steps    int
	theta    []float64 // W, then η
	grad     []float64
	step     []float64
	value    float64
	centers  []float64 // multipliers about which the losses are smoothed, k per row
	climbers []*climber
	bent     []bend
	narrow   narrow
	hess     []float64
	vectors  []float64 // a batch of directions as full vectors
}

// penalised returns the number of penalised parameters.
func (t *newton) penalised() int {
	if t.p.head.free {
		return len(t.w)
	}
	return len(t.theta)
}

package linear

import (
	"bytes"
	"math"

	"gonum.org/v1/gonum/blas"

	"taper/internal/engine/vector"
)

// hessian is that of the smoothed problem. The intercept is eliminated first, which centres the active
// rows (those on a smoothed kink) at their mean m. What remains is λI + CᵀC with the rows √(v/ε)(x−m) in
// C, which is positive definite for any set of rows. With few active rows and many columns λI + CCᵀ is
// factored instead (Woodbury).
type hessian struct {
	s      *newton
	active []int32     // rows on a smoothed kink
	mass   float64     // Σ v/ε over the active rows: the curvature in the intercept
	mean   []float64   // m
	narrow bool        // Woodbury
	c      []float64   // C, only then
	a      []float64   // λI + CᵀC or λI + CCᵀ, upper triangle; later its Cholesky factor
	z      []float64   // C·step
	gram   *gram       // sums CᵀC
	shares int         // of the active rows
	cells  [][]float64 // memory for a slice of active rows, for each share

	shareFn, gatherFn, productFn func(int)
}

const (
	shareRows   = 256     // active rows in a share, at least
	gatherRows  = 64      // rows per gathering task
	wide        = 64      // number of columns from which Woodbury can be faster
	bands       = 64      // approximate number of tasks per product
	cachedCells = 1 << 15 // cells that fit in a core's cache
	mostMoved   = .9      // part of a sum of squares that may be due to the distance of the means
)

func (h *hessian) init(s *newton) {
	d := s.set.x.Cols
	*h = hessian{s: s, a: make([]float64, d*d), z: make([]float64, d),
		gram: newGram(d, s.set.x.Rows/shareRows, s.team)}
	h.cells = make([][]float64, h.gram.shares)
	h.mean = h.gram.mean[:d]
	for j := range d + 1 {
		h.gram.inverse[j] = 1
	}
	h.shareFn, h.gatherFn, h.productFn = h.share, h.gather, h.product
}

// size returns the number of rows of the matrix that is factored.
func (h *hessian) size() int {
	if h.narrow {
		return len(h.active)
	}
	return len(h.mean)
}

// assemble builds the matrix.
func (h *hessian) assemble() {
	h.collect()
	m, d := len(h.active), len(h.mean)
	h.narrow = d >= wide && 2*m <= d
	if !h.narrow {
		if h.sum(); h.move() {
			h.sum()
			h.move()
		}
		return
	}
	h.average()
	h.diagonal(m)
	if cap(h.c) < m*d {
		h.c = make([]float64, d*d/2)
	}
	h.c = h.c[:m*d]
	h.s.team.run((m+gatherRows-1)/gatherRows, &h.gatherFn)
	h.s.team.run((m+h.band()-1)/h.band(), &h.productFn)
}

// diagonal makes the matrix λI.
func (h *hessian) diagonal(n int) {
	clear(h.a[:n*n])
	for j := range n {
		h.a[j*n+j] = h.s.l2
	}
}

// collect lists the active rows.
func (h *hessian) collect() {
	h.active = h.active[:0]
	for i := 0; ; i++ {
		next := bytes.IndexByte(h.s.bent[i:], 1)
		if next < 0 {
			return
		}
		if i += next; h.s.set.v[i] > 0 {
			h.active = append(h.active, int32(i))
		}
	}
}

// average computes the mean of the active rows.
func (h *hessian) average() {
	h.mass = 0
	clear(h.mean)
	for _, i := range h.active {
		v := h.s.set.v[i] / h.s.eps
		h.mass += v
		kernel.Daxpy(len(h.mean), v, h.s.set.x.Row(int(i)), 1, h.mean, 1)
	}
	if h.mass > 0 {
		kernel.Dscal(len(h.mean), 1/h.mass, h.mean, 1)
	}
}

// sum sums the products of the active rows about the mean of an earlier step.
func (h *hessian) sum() {
	h.shares = min(h.gram.shares, (len(h.active)+shareRows-1)/shareRows)
	h.gram.run(h.shares, &h.shareFn)
	h.diagonal(len(h.mean))
	h.gram.total(h.a, len(h.mean), h.shares)
}

// move makes the mean that of the active rows, which the sums of the intercept's column show. So the rows are read
// once. It reports whether the earlier mean was so far off that the sums must be made again.
func (h *hessian) move() (far bool) {
	d := len(h.mean)
	by := h.z
	h.mass = h.gram.last(by, h.shares)
	if h.mass == 0 {
		return false
	}
	kernel.Dscal(d, 1/h.mass, by, 1)
	for i, b := range by {
		row := h.a[i*d+i : (i+1)*d]
		far = far || h.mass*b*b > mostMoved*row[0]
		kernel.Daxpy(d-i, -h.mass*b, by[i:], 1, row, 1)
		h.mean[i] += b
	}
	return far
}

// share sums CᵀC over its share of the active rows.
func (h *hessian) share(k int) {
	d, m := len(h.mean), len(h.active)
	if h.cells[k] == nil {
		h.cells[k] = make([]float64, slice*d)
	}
	rows := h.active[k*m/h.shares : (k+1)*m/h.shares]
	h.gram.share(k, func(weights []float64) []float64 {
		few := rows[:min(slice, len(rows))]
		rows = rows[len(few):]
		if h.s.ctx.Err() != nil { // the caller checks it as well
			return nil
		}
		for at, i := range few {
			weights[at] = h.s.set.v[i] / h.s.eps
			copy(h.cells[k][at*d:], h.s.set.x.Row(int(i)))
		}
		return h.cells[k][:len(few)*d]
	})
}

// gather copies centred and scaled active rows into c.
func (h *hessian) gather(k int) {
	lo, d := k*gatherRows, len(h.mean)
	for at, i := range h.active[lo:min(lo+gatherRows, len(h.active))] {
		scale := math.Sqrt(h.s.set.v[i] / h.s.eps)
		row := h.c[(lo+at)*d:][:d]
		for j, x := range h.s.set.x.Row(int(i)) {
			row[j] = scale * (x - h.mean[j])
		}
	}
}

// product adds a band of rows of the upper triangle of CCᵀ, using a few columns of C at a time, which
// stay in the cache for the whole band.
func (h *hessian) product(k int) {
	n, m := len(h.active), len(h.mean)
	lo, hi := k*h.band(), min((k+1)*h.band(), n)
	cols := min(max(cachedCells/n, 32), 1024)
	for at := 0; at < m && h.s.ctx.Err() == nil; at += cols { // the caller checks ctx as well
		for j := lo; j < hi; j++ {
			c := h.c[j*m+at:]
			kernel.Dgemv(blas.NoTrans, n-j, min(cols, m-at), 1, c, m, c, 1, 1, h.a[j*n+j:(j+1)*n], 1)
		}
	}
}

// band returns the number of matrix rows per task.
func (h *hessian) band() int { return max(len(h.active)/bands, 1) }

// flatCurvature replaces the curvature of the intercept when no row is active. The line search then finds
// the step length.
const flatCurvature = 0.1

// solve stores the Newton step −H⁻¹·grad in dst. It returns false when the matrix is not positive
// definite because of rounding.
func (h *hessian) solve(dst, grad []float64) bool {
	d := len(h.mean)
	n := h.size()
	if !vector.Cholesky(h.a, h.z[:n]) {
		return false
	}
	for j, g := range grad[:d] {
		dst[j] = h.mean[j]*grad[d] - g
	}
	if h.narrow {
		h.woodbury(dst[:d])
	} else {
		h.triangles(n, dst)
	}
	mass := h.mass
	if mass == 0 {
		mass = flatCurvature
	}
	dst[d] = -grad[d]/mass - dot(h.mean, dst[:d])
	return true
}

// triangles replaces x by A⁻¹x for the factored n×n matrix.
func (h *hessian) triangles(n int, x []float64) {
	kernel.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, n, h.a, n, x, 1)
	kernel.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, n, h.a, n, x, 1)
}

// woodbury replaces x by (λI + CᵀC)⁻¹x = (x − Cᵀ(λI + CCᵀ)⁻¹Cx)/λ.
func (h *hessian) woodbury(x []float64) {
	m, d := len(h.active), len(h.mean)
	if m > 0 {
		z := h.z[:m]
		kernel.Dgemv(blas.NoTrans, m, d, 1, h.c, d, x, 1, 0, z, 1)
		h.triangles(m, z)
		kernel.Dgemv(blas.Trans, m, d, -1, h.c, d, z, 1, 1, x, 1)
	}
	kernel.Dscal(d, 1/h.s.l2, x, 1)
}

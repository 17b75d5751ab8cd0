package linear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// hessian is that of the smoothed problem. The intercept is eliminated first, which centres the active
// rows (those on a smoothed kink) at their mean m. What remains is λI + CᵀC with the rows √(v/ε)(x−m) in
// C, which is positive definite for any set of rows. With few active rows and many columns λI + CCᵀ is
// factored instead (Woodbury).
type hessian struct {
	s      *newton
	active []int32   // rows on a smoothed kink
	mass   float64   // Σ v/ε over the active rows: the curvature in the intercept
	mean   []float64 // m
	narrow bool      // Woodbury: c holds C; otherwise Cᵀ, one chunk of active rows at a time
	chunk  []int32   // active rows in c
	c      []float64
	a      []float64 // λI + c·cᵀ, upper triangle; later its Cholesky factor
	z      []float64 // C·step

	gatherFn, productFn func(int)
}

const (
	gatherRows  = 64      // rows per gathering task
	wide        = 64      // number of columns from which Woodbury can be faster
	bands       = 64      // approximate number of tasks per product
	cachedCells = 1 << 15 // cells that fit in a core's cache
	chunkCells  = 1 << 18 // largest number of cells of c
	chunkPart   = 32      // or this part of the design, so that c is small compared with it
)

func (h *hessian) init(s *newton) {
	d := s.set.x.Cols
	*h = hessian{s: s, mean: make([]float64, d), a: make([]float64, d*d),
		z: make([]float64, d)}
	h.gatherFn, h.productFn = h.gather, h.product
}

// shape returns the dimensions of c.
func (h *hessian) shape() (rows, cols int) {
	if h.narrow {
		return len(h.chunk), len(h.mean)
	}
	return len(h.mean), len(h.chunk)
}

// assemble builds the matrix.
func (h *hessian) assemble() {
	h.collect()
	m, d := len(h.active), len(h.mean)
	h.narrow = d >= wide && 2*m <= d
	room := m
	if !h.narrow {
		room = min(h.s.set.x.Rows, max(chunkCells, len(h.s.set.x.Data)/chunkPart)/d+1)
		h.clear(d)
	}
	if need := d * min(m, room); cap(h.c) < need {
		h.c = make([]float64, min(2*need, d*room))
	}
	h.chunk = nil // from the previous step; there may be no active row now
	for lo := 0; lo < m; lo += room {
		h.take(h.active[lo:min(lo+room, m)])
	}
}

// clear sets the matrix of the given size to λI.
func (h *hessian) clear(n int) {
	for j := range n {
		clear(h.a[j*n+j : (j+1)*n])
		h.a[j*n+j] = h.s.l2
	}
}

// take adds the product of a chunk of active rows.
func (h *hessian) take(chunk []int32) {
	h.chunk = chunk
	rows, cols := h.shape()
	h.c = h.c[:rows*cols]
	if h.narrow {
		h.clear(rows)
	}
	h.s.team.run((len(chunk)+gatherRows-1)/gatherRows, &h.gatherFn)
	h.s.team.run((rows+h.band()-1)/h.band(), &h.productFn)
}

// collect lists the active rows and computes their weight and mean.
func (h *hessian) collect() {
	s := h.s
	h.active, h.mass = h.active[:0], 0
	clear(h.mean)
	for i, z := range s.state {
		if v := s.set.v[i]; z&1 == 1 && v > 0 {
			h.active = append(h.active, int32(i))
			h.mass += v / s.eps
			kernel.Daxpy(len(h.mean), v/s.eps, s.set.x.Row(i), 1, h.mean, 1)
		}
	}
	if h.mass > 0 {
		kernel.Dscal(len(h.mean), 1/h.mass, h.mean, 1)
	}
}

// gather copies centred and scaled active rows into c.
func (h *hessian) gather(k int) {
	lo := k * gatherRows
	first, next := 1, len(h.chunk) // strides between rows of X and within a row
	if h.narrow {
		first, next = len(h.mean), 1
	}
	for at, i := range h.chunk[lo:min(lo+gatherRows, len(h.chunk))] {
		scale := math.Sqrt(h.s.set.v[i] / h.s.eps)
		p := (lo + at) * first
		for j, x := range h.s.set.x.Row(int(i)) {
			h.c[p] = scale * (x - h.mean[j])
			p += next
		}
	}
}

// product adds a band of rows of the upper triangle of c·cᵀ, using a few columns of c at a time, which
// stay in the cache for the whole band.
func (h *hessian) product(k int) {
	n, m := h.shape()
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
func (h *hessian) band() int {
	n, _ := h.shape()
	return max(n/bands, 1)
}

// flatCurvature replaces the curvature of the intercept when no row is active. The line search then finds
// the step length.
const flatCurvature = 0.1

// solve stores the Newton step −H⁻¹·grad in dst. It returns false when the matrix is not positive
// definite because of rounding.
func (h *hessian) solve(dst, grad []float64) bool {
	d := len(h.mean)
	n, _ := h.shape()
	if n > 0 && !(lapack.Implementation{}).Dpotrf(blas.Upper, n, h.a, n) {
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
	m, d := h.shape()
	if m > 0 {
		z := h.z[:m]
		kernel.Dgemv(blas.NoTrans, m, d, 1, h.c, d, x, 1, 0, z, 1)
		h.triangles(m, z)
		kernel.Dgemv(blas.Trans, m, d, -1, h.c, d, z, 1, 1, x, 1)
	}
	kernel.Dscal(d, 1/h.s.l2, x, 1)
}

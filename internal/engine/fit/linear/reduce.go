package linear

import (
	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// reduction turns a design with more columns than rows into a square one. With X = L·Q the optimal
// weights lie in the row space of Q, w = Qᵀv with ‖w‖ = ‖v‖, so a fit on L gives the fit on X.
type reduction struct {
	rows, cols int
	q, tau     []float64 // Q as Householder vectors
	work       []float64
}

// reduce factors x and returns L.
func reduce(x Matrix) (Matrix, *reduction) {
	n, d := x.Rows, x.Cols
	r := &reduction{rows: n, cols: d, q: append([]float64(nil), x.Data...), tau: make([]float64, n),
		work: make([]float64, 64*d)}
	lapack.Implementation{}.Dgelqf(n, d, r.q, d, r.tau, r.work, len(r.work))
	l := Matrix{n, n, make([]float64, n*n)}
	for i := range n {
		copy(l.Row(i)[:i+1], r.q[i*d:])
	}
	return l, r
}

// narrow stores Q·w in dst; both slices end with the intercept.
func (r *reduction) narrow(dst, theta []float64) {
	w := r.turn(blas.NoTrans, theta[:r.cols])
	copy(dst, w[:r.rows])
	dst[r.rows] = theta[r.cols]
}

// widen stores Qᵀ·v in dst; both slices end with the intercept.
func (r *reduction) widen(dst, theta []float64) {
	copy(dst, r.turn(blas.Trans, theta[:r.rows]))
	dst[r.cols] = theta[r.rows]
}

func (r *reduction) turn(t blas.Transpose, v []float64) []float64 {
	w := make([]float64, r.cols)
	copy(w, v)
	lapack.Implementation{}.Dormlq(blas.Left, t, r.cols, 1, r.rows, r.q, r.cols, r.tau, w, 1, r.work, len(r.work))
	return w
}

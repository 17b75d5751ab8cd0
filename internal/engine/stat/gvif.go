package stat

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// GVIF returns the generalised variance inflation factor of the columns from to to−1 of the rows×cols row-major
// x: det R_A · det R_B / det R, with A those columns and B the others, to the power 1/(number of columns) so
// that it is comparable with a VIF (Fox and Monette 1992, whose GVIF^(1/2df) is comparable with the square root
// of a VIF). The VIFs of single spline terms depend on how the spline is coded, so they are not informative.
// For a single column it equals the VIF. It is nil where the columns determine each other or other columns
// determine one of them.
func GVIF(x []float64, rows, cols, from, to int) *float64 {
	if len(x) != rows*cols || from < 0 || to > cols || from >= to {
		panic("stat: x must hold rows×cols values and the columns")
	}
	if rows < 2 {
		return nil
	}
	z := standardised(x, rows, cols)
	own, others := z, z // columns of A and of B, copied
	own.Cols, others.Cols = to-from, cols-(to-from)
	own.Data, own.Stride = gathered(z, func(j int) bool { return j >= from && j < to })
	others.Data, others.Stride = gathered(z, func(j int) bool { return j < from || j >= to })
	alone, ok := logDet(own)
	if !ok {
		return nil
	}
	left, ok := logDet(partialled(own, others))
	if !ok {
		return nil
	}
	return Finite(math.Exp((alone - left) / float64(to-from)))
}

// gathered copies the columns for which keep is true.
func gathered(z blas64.General, keep func(j int) bool) (data []float64, stride int) {
	for i := range z.Rows {
		for j := range z.Cols {
			if keep(j) {
				data = append(data, z.Data[i*z.Stride+j])
			}
		}
	}
	return data, len(data) / z.Rows
}

// partialled returns the residuals of the columns of a after projection on b. The principal components of b are
// orthogonal, so each is subtracted on its own.
func partialled(a, b blas64.General) blas64.General {
	if b.Cols == 0 {
		return a
	}
	var e mat.EigenSym
	if !e.Factorize(correlations(b), true) {
		panic("stat: eigenvalues of correlations did not converge")
	}
	values, vectors := e.Values(nil), &mat.Dense{}
	e.VectorsTo(vectors)
	u := mat.NewDense(b.Rows, b.Cols, nil)
	u.Mul(mat.NewDense(b.Rows, b.Cols, b.Data), vectors)
	rest := mat.DenseCopyOf(mat.NewDense(a.Rows, a.Cols, a.Data))
	component := make([]float64, b.Rows)
	for k, l := range values {
		if l <= 1e-12*float64(len(values)) {
			continue
		}
		mat.Col(component, k, u)
		for j := range a.Cols {
			share := 0.0
			for i, c := range component {
				share += c * rest.At(i, j)
			}
			share /= l * float64(b.Rows)
			for i, c := range component {
				rest.Set(i, j, rest.At(i, j)-share*c)
			}
		}
	}
	return rest.RawMatrix()
}

func correlations(z blas64.General) *mat.SymDense {
	r := mat.NewSymDense(z.Cols, nil)
	blas64.Syrk(blas.Trans, 1/float64(z.Rows), z, 0, r.RawSymmetric())
	return r
}

// logDet returns the logarithm of the determinant of zᵀz/n; false where it is 0 up to rounding.
func logDet(z blas64.General) (float64, bool) {
	r := correlations(z)
	for j := range z.Cols {
		if r.At(j, j) < 1e-12 { // the columns had variance 1
			return 0, false
		}
	}
	var c mat.Cholesky
	if !c.Factorize(r) || c.Cond() > 1e13 {
		return 0, false
	}
	return c.LogDet(), true
}

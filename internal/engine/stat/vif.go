package stat

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// VIF returns the variance inflation factor 1/(1−R²_j) of every column of the rows×cols row-major x, from a
// regression on the other columns and a constant: the diagonal of the inverse correlation matrix (Belsley, Kuh
// and Welsch 1980, section 3.2). It is nil for a column that is constant or determined by others.
func VIF(x []float64, rows, cols int) []*float64 {
	if len(x) != rows*cols {
		panic("stat: x must hold rows×cols values")
	}
	vif := make([]*float64, cols)
	if rows < 2 || cols == 0 {
		return vif
	}
	z := standardised(x, rows, cols)
	r := mat.NewSymDense(cols, nil)
	blas64.Syrk(blas.Trans, 1/float64(rows), z, 0, r.RawSymmetric())
	var e mat.EigenSym
	if !e.Factorize(r, true) {
		panic("stat: eigenvalues of correlations did not converge")
	}
	values, vectors := e.Values(nil), &mat.Dense{}
	e.VectorsTo(vectors)
	for j := range vif {
		if r.At(j, j) > 0.5 { // 1 up to rounding, or 0 for a constant column
			vif[j] = inverseAt(values, vectors, j)
		}
	}
	return vif
}

// inverseAt returns Σ v_jk²/λ_k, nil when column j has a component in a direction without variance.
func inverseAt(values []float64, vectors *mat.Dense, j int) *float64 {
	sum, least := 0.0, 1e-12*float64(len(values))
	for k, l := range values {
		v := vectors.At(j, k)
		switch {
		case l > least:
			sum += v * v / l
		case v*v > 1e-12:
			return nil
		}
	}
	return Finite(sum)
}

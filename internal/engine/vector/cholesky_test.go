package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// definite returns the upper triangle of a positive definite matrix, and a lower one that must not matter.
func definite(r *rand.Rand, n int) []float64 {
	x, a := numbers(r, 2*n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			if a[i*n+j] = math.NaN(); j < i {
				continue
			}
			a[i*n+j] = 0
			for k := range 2 * n {
				a[i*n+j] += x[k*n+i] * x[k*n+j]
			}
		}
	}
	return a
}

// TestCholesky: the factor has the bits of gonum's, which has other ones on processors where it uses no vectors; there
// it multiplies to the matrix.
func TestCholesky(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 2))
		sizes := []int{127, 128, 129, 130, 191, 192, 193, 200, 260}
		for n := 1; n < 80; n++ {
			sizes = append(sizes, n)
		}
		for _, n := range sizes {
			a := definite(r, n)
			got, want := slices.Clone(a), slices.Clone(a)
			if !Cholesky(got, make([]float64, n)) || !(lapack.Implementation{}).Dpotrf(blas.Upper, n, want, n) {
				t.Fatalf("%d × %d: not positive definite", n, n)
			}
			for i := range n {
				for j := i; j < n; j++ {
					if gonumInVectors && math.Float64bits(got[i*n+j]) != math.Float64bits(want[i*n+j]) {
						t.Fatalf("%d × %d: cell %d, %d is %v instead of %v", n, n, i, j, got[i*n+j], want[i*n+j])
					}
					sum := 0.0
					for k := range i + 1 {
						sum += got[k*n+i] * got[k*n+j]
					}
					if math.Abs(sum-a[i*n+j]) > 1e-12*math.Sqrt(a[i*n+i]*a[j*n+j]) {
						t.Fatalf("%d × %d: the factor multiplies to %v instead of %v", n, n, sum, a[i*n+j])
					}
				}
			}
		}
	})
}

// TestCholeskyRefuses: a pivot that is not positive, or no number, early or late.
func TestCholeskyRefuses(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 3))
		for _, n := range []int{1, 2, 5, 70, 130} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, pivot := range []float64{-1, 0, math.NaN()} {
					a := definite(r, n)
					a[at*n+at] = pivot
					if Cholesky(a, make([]float64, n)) {
						t.Errorf("%d × %d with %v at %d has a factor", n, n, pivot, at)
					}
				}
			}
		}
		singular := []float64{4, 2, 2, 1}
		if Cholesky(singular, make([]float64, 2)) {
			t.Error("a singular matrix has a factor")
		}
	})
}

func BenchmarkCholesky(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 4))
	for _, n := range []int{13, 30, 93, 250} {
		a := definite(r, n)
		into, spare := make([]float64, len(a)), make([]float64, n)
		for name, allow := range paths {
			back := allow(b)
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					copy(into, a)
					Cholesky(into, spare)
				}
			})
			back()
		}
		b.Run(fmt.Sprintf("%d/gonum", n), func(b *testing.B) {
			for b.Loop() {
				copy(into, a)
				lapack.Implementation{}.Dpotrf(blas.Upper, n, into, n)
			}
		})
	}
}

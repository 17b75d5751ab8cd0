package multiclass

import "gonum.org/v1/gonum/blas/gonum"

var blasKernel gonum.Implementation // pure functions; gonum's package level would use a global

const long = 16 // number of entries from which the assembly version is faster

func inner(a, b []float64) float64 {
	if len(a) < long {
		return dot(a, b)
	}
	return blasKernel.Ddot(len(a), a, 1, b, 1)
}

func axpy(s float64, x, y []float64) {
	if len(x) < long {
		for j, v := range x {
			y[j] += s * v
		}
		return
	}
	blasKernel.Daxpy(len(x), s, x, 1, y, 1)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += v * b[j]
	}
	return sum
}

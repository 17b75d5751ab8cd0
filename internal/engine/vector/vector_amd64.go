package vector

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// has256 is whether the processor has AVX2. Registers of 512 bits were tried and are not faster, since the
// memory is the limit.
var has256 = cpu.X86.HasAVX2

// fastScores returns how many rows it has done.
func fastScores(dst, x, w []float64, b float64) int {
	rows := len(dst) &^ 3
	if !has256 || rows == 0 || len(w) == 0 {
		return 0
	}
	scores256(&dst[0], &x[0], rows, len(w), &w[0], b)
	return rows
}

// fastAdjoint reports whether it has done it.
func fastAdjoint(dst, x, by, next []float64) bool {
	if !has256 || len(x) == 0 {
		return false
	}
	if len(next) == 0 {
		next = x[:0]
	}
	adjoint256(&dst[0], &x[0], &by[0], len(by), len(dst), unsafe.SliceData(next), len(next)/len(dst))
	return true
}

// fastSquares reports whether it has done it.
func fastSquares(dst, x, mean, by []float64) bool {
	if !has256 || len(x) == 0 {
		return false
	}
	squares256(&dst[0], &x[0], &by[0], len(by), len(dst), &mean[0])
	return true
}

// fastCombine returns how many numbers it has done.
func fastCombine(dst []float64, columns [][]float64, by []float64, from int) int {
	const together = 32
	rows := len(dst) / together * together
	if !has256 || rows == 0 || len(by) == 0 {
		return 0
	}
	combine256(&dst[0], rows, &columns[0], &by[0], len(by), from)
	return rows
}

// fastLogistic returns how many rows it has done.
func fastLogistic(f, z, q, v []float64, side []uint8, next []float64) int {
	if !has256 || len(f) < lanes {
		return 0
	}
	return logistic256(&f[0], &z[0], &q[0], &v[0], &side[0], len(f), &powers[0],
		unsafe.SliceData(next), len(next)/cacheLine/(len(f)/lanes))
}

// fastSoftplus, fastTemper and fastExps return how many rows they have done.
func fastSoftplus(values, slopes, z []float64) int {
	if !has256 || len(z) < lanes {
		return 0
	}
	return softplus256(&values[0], &slopes[0], &z[0], len(z), &powers[0], &logs[0], &inverses[0])
}

func fastTemper(values, slopes []float64, e float64) int {
	if !has256 || len(values) < lanes {
		return 0
	}
	return temper256(&values[0], &slopes[0], len(values), &powers[0], -e, -1/e)
}

func fastExps(dst, x []float64) int {
	if !has256 || !cpu.X86.HasFMA || len(x) < lanes {
		return 0
	}
	return exps256(&dst[0], &x[0], len(x))
}

const cacheLine = 8 // float64s

// Ask asks the memory for what the caller reads next.
func Ask(next []float64) {
	if len(next) > 0 {
		prefetch(&next[0], (len(next)+cacheLine-1)/cacheLine)
	}
}

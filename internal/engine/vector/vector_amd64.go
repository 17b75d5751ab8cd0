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

// fastEliminate reports whether it has done it.
func fastEliminate(dst, x, by []float64, rows, pitch int) bool {
	if !has256 {
		return false
	}
	eliminate256(&dst[0], &x[0], &by[0], rows, len(dst), pitch)
	return true
}

// fastStandardise reports whether it has done it.
func fastStandardise(a, b, x, by []float64, cols int, mean, inverse []float64) bool {
	if !has256 || len(x) == 0 {
		return false
	}
	standardise256(&a[0], &b[0], &x[0], &by[0], len(by), cols, &mean[0], &inverse[0])
	return true
}

// fastGram reports whether it has done it.
func fastGram(h, a, b []float64, rows, n, from, to int) bool {
	if !has256 || rows == 0 || from >= to {
		return false
	}
	const none = 4
	marked := [2]int{none, none}
	marked[1-n%2] = 3 - (n-1)%4
	gram256(&h[0], &a[0], &b[0], rows, Pitch(n), from, to, marked[0], marked[1])
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

// fast returns how many rows it has done.
func (t *Table) fast(values, slopes, z []float64) int {
	if !has256 || len(z) < lanes {
		return 0
	}
	eval := heavy256
	if t.compact {
		if eval = compact256; !cpu.X86.HasFMA {
			return 0
		}
	}
	// Other goroutines store pieces while the kernel reads their addresses: here a load of an address, like a store, is
	// done in one piece, and in the order of the program.
	return eval(&values[0], &slopes[0], &z[0], len(z), &logs[0], &inverses[0],
		(**float64)(unsafe.Pointer(&t.pieces[0])), t.rate, t.inverse, t.scale, t.reach)
}

// fastSums reports whether it has done it.
func fastSums(dst, pairs []Pair, rows []int32, spans [][2]int32) bool {
	if !has256 || len(spans) == 0 || len(rows) == 0 || len(pairs) == 0 {
		return false
	}
	sums256(&dst[0].Weight, &pairs[0].Weight, &rows[0], &spans[0], len(spans))
	return true
}

// fastNormalise and fastMove return how many rows they have done.
func fastNormalise(d []float64, pairs []Pair, y []float64, sum float64, weight, lean, square *[lanes]float64) int {
	rows := len(d) &^ (lanes - 1)
	if !has256 || rows == 0 {
		return 0
	}
	normalise256(&d[0], &pairs[0].Weight, &y[0], rows, sum, &weight[0], &lean[0], &square[0])
	return rows
}

func fastMove(m, u []float64, step float64) (rows int, largest float64) {
	if rows = len(m) &^ (lanes - 1); !has256 || rows == 0 {
		return 0, 0
	}
	return rows, move256(&m[0], &u[0], rows, step)
}

// fastProducts reports whether it has done it.
func fastProducts(dst, panels, rows []float64, count, number, d int) bool {
	if !has256 || count == 0 || number == 0 {
		return false
	}
	products256(&dst[0], &panels[0], &rows[0], count, number, d)
	return true
}

// fastLevels and fastAlong return how many rows they have done.
func (r *Ramps) fastLevels(t, vt []float64, on []uint8, slopes, squares *[lanes]float64, u, d, v []float64,
	side []uint8, step float64) int {
	if !has256 || len(u) < lanes {
		return 0
	}
	return levels256(&t[0], &vt[0], &on[0], &slopes[0], &squares[0], &u[0], &d[0], &v[0], &side[0], len(u), &r.cells[0],
		len(r.cells)/rampCells, r.rate, step)
}

func (r *Ramps) fastAlong(slopes, squares *[lanes]float64, u, d, v []float64, side []uint8, step float64) int {
	if !has256 || len(u) < lanes {
		return 0
	}
	return along256(&slopes[0], &squares[0], &u[0], &d[0], &v[0], &side[0], len(u), &r.cells[0], len(r.cells)/rampCells,
		r.rate, step)
}

// fast returns how many rows it has done.
func (h *Hulls) fast(dst, x []float64, side []uint8) int {
	if !has256 || len(x) < lanes {
		return 0
	}
	return hulls256(&dst[0], &x[0], &side[0], len(x), &h.cells[0], len(h.cells)/lineCells)
}

const cacheLine = 8 // float64s

// Ask asks the memory for what the caller reads next.
func Ask(next []float64) {
	if len(next) > 0 {
		prefetch(&next[0], (len(next)+cacheLine-1)/cacheLine)
	}
}

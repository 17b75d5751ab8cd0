package multiclass

import (
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/vector"
)

// MaxExact is the largest number of rows for which the exact Gram matrix is used. Its columns are kept
// once computed, 288 MB if all are. With more rows Nyström features are used.
const MaxExact = 6000

// gram is the Gram matrix of the rows of a design, computed column by column on demand.
type gram struct {
	kernel  Kernel
	x       linear.Matrix
	square  []float64   // ‖x_i‖²
	columns [][]float64 // nil until needed
}

func newGram(k Kernel, x linear.Matrix) *gram {
	g := &gram{kernel: k, x: x, square: make([]float64, x.Rows), columns: make([][]float64, x.Rows)}
	for i := range g.square {
		g.square[i] = dot(x.Row(i), x.Row(i))
	}
	return g
}

// diagonal returns κ(x_i, x_i).
func (g *gram) diagonal(i int) float64 {
	return g.kernel.of(g.square[i], g.square[i], g.square[i])
}

// need computes the given columns unless they are there.
func (g *gram) need(columns []int) {
	var missing []int
	for _, i := range columns {
		if g.columns[i] == nil {
			missing = append(missing, i)
		}
	}
	work := len(missing) * g.x.Rows * (g.x.Cols + long)
	spread(len(missing), work, func(j int) {
		i := missing[j]
		c := make([]float64, g.x.Rows)
		g.kernel.fill(c, g.x, g.square, g.x.Row(i), g.square[i])
		g.columns[i] = c
	})
}

// fill stores κ(x, r) in dst for the rows x of a matrix; squares are their ‖x‖².
func (k Kernel) fill(dst []float64, x linear.Matrix, squares, r []float64, square float64) {
	vector.Scores(dst, x.Data, r, 0)
	if k.Name == KernelRBF { // Kernel.of without its switch, for speed
		for i, p := range dst {
			dst[i] = math.Exp(-k.Gamma * max(0, squares[i]+square-2*p))
		}
		return
	}
	for i, p := range dst {
		dst[i] = k.of(p, squares[i], square)
	}
}

// norm returns ‖Σ a_i φ(x_i)‖² over some rows.
func (g *gram) norm(rows []int, a func(i int) []float64) float64 {
	g.need(rows)
	part := make([]float64, len(rows))
	spread(len(rows), len(rows)*len(rows), func(j int) {
		c, own := g.columns[rows[j]], a(rows[j])
		for _, i := range rows {
			part[j] += c[i] * dot(own, a(i))
		}
	})
	sum := 0.0
	for _, v := range part {
		sum += v
	}
	return sum
}

package multiclass

import (
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
	panels  []float64   // x, as vector.Products reads it; nil until needed
	square  []float64   // ‖x_i‖²
	columns [][]float64 // nil until needed
	// blocked sums are faster and have other last bits. Fits of few rows do without, since those of studies are kept.
	blocked bool
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
	if !g.blocked {
		spread(len(missing), len(missing)*g.x.Rows*(g.x.Cols+long), func(j int) {
			i := missing[j]
			c := make([]float64, g.x.Rows)
			g.kernel.fill(c, g.x, g.square, g.x.Row(i), g.square[i])
			g.columns[i] = c
		})
		return
	}
	if g.panels == nil {
		g.panels = vector.Panels(g.x.Data, g.x.Cols)
	}
	const together = 4 // columns whose products are computed side by side
	n, d, size := g.x.Rows, g.x.Cols, vector.Padded(g.x.Rows)
	all := make([]float64, len(missing)*size) // in one piece, which costs less than many
	spread((len(missing)+together-1)/together, len(missing)*n*(d+long), func(j int) {
		lo, hi := j*together, min((j+1)*together, len(missing))
		var buf [together * long]float64
		rows := buf[:0]
		for _, i := range missing[lo:hi] {
			rows = append(rows, g.x.Row(i)...)
		}
		vector.Products(all[lo*size:hi*size], g.panels, rows, d)
		for j, i := range missing[lo:hi] {
			c := all[(lo+j)*size:][:n:n]
			g.kernel.apply(c, g.square, g.square[i])
			g.columns[i] = c
		}
	})
}

// fill stores κ(x, r) in dst for the rows x of a matrix; squares are their ‖x‖².
func (k Kernel) fill(dst []float64, x linear.Matrix, squares, r []float64, square float64) {
	vector.Scores(dst, x.Data, r, 0)
	k.apply(dst, squares, square)
}

// apply replaces products of rows with a row by the kernel.
func (k Kernel) apply(dst, squares []float64, square float64) {
	if k.Name == KernelRBF {
		for i, p := range dst {
			dst[i] = -k.Gamma * max(0, squares[i]+square-2*p)
		}
		vector.Exps(dst, dst)
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
	task := func(j int) {
		c, own := g.columns[rows[j]], a(rows[j])
		for _, i := range rows {
			part[j] += c[i] * dot(own, a(i))
		}
	}
	if g.blocked {
		n, m := g.x.Rows, len(a(0))
		by := make([]float64, m*n) // m slices of n, with zeros for other rows
		for _, i := range rows {
			for l, v := range a(i) {
				by[l*n+i] = v
			}
		}
		task = func(j int) {
			for l, v := range a(rows[j]) {
				if v != 0 {
					part[j] += v * inner(g.columns[rows[j]], by[l*n:(l+1)*n])
				}
			}
		}
	}
	spread(len(rows), len(rows)*len(rows), task)
	sum := 0.0
	for _, v := range part {
		sum += v
	}
	return sum
}

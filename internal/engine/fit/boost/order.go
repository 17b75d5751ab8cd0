package boost

import (
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// order holds the rows sorted by every column. It is computed once per fit.
type order struct {
	n, d    int       // rows with a weight, columns
	rows    []int32   // d×n: the rows in ascending order of each column
	ends    [][]int32 // of each column: the numbers of rows below its thresholds
	blocks  [][]block // of each column, for stumps
	workers int       // workers of a scan
}

// block is a range of places in the order of a column that ends at a threshold or with the last row. Blocks are
// levels, or runs of levels of about few rows.
type block = [2]int32

// few is the number of rows from which a level is a block of its own, and others end at its next threshold. Smaller
// blocks bound better what is inside, but each has its costs.
const few = 32

// wideCells is the number of cells from which a parallel scan is faster.
const wideCells = 1 << 16

// sort orders the rows with positive weight by every column.
func (o *order) sort(ctx context.Context, x linear.Matrix, shares []float64) error {
	for _, v := range shares {
		if v > 0 {
			o.n++
		}
	}
	o.d = x.Cols
	o.rows, o.ends, o.blocks = make([]int32, o.n*o.d), make([][]int32, o.d), make([][]block, o.d)
	o.workers = 1
	if o.n*o.d >= wideCells {
		o.workers = parallel.Cores()
	}
	scratch := make([]sorter, o.workers)
	parallel.Each(o.d, o.workers, func(worker, j int) {
		if ctx.Err() != nil {
			return
		}
		o.column(j, x, shares, &scratch[worker])
	})
	return ctx.Err()
}

// column sorts by one column; the sort is stable.
func (o *order) column(j int, x linear.Matrix, shares []float64, s *sorter) {
	s.cells = s.cells[:0]
	for i, v := range shares {
		if v > 0 {
			s.cells = append(s.cells, cell{ordered(x.Data[i*x.Cols+j]), int32(i)})
		}
	}
	s.sort()
	rows, ends := o.rows[j*o.n:(j+1)*o.n], []int32(nil)
	for k, c := range s.cells {
		rows[k] = c.row
		if k > 0 && c.key != s.cells[k-1].key {
			ends = append(ends, int32(k))
		}
	}
	o.ends[j], o.blocks[j] = ends, blocks(ends, o.n)
}

// blocks divides the places 0 to n by thresholds.
func blocks(ends []int32, n int) (all []block) {
	from, level := int32(0), int32(0)
	for k := range len(ends) + 1 {
		end := int32(n)
		if k < len(ends) {
			end = ends[k]
		}
		if end-level >= few && level > from {
			all, from = append(all, block{from, level}), level
		}
		if end-from >= few || k == len(ends) {
			all, from = append(all, block{from, end}), end
		}
		level = end
	}
	return all
}

// threshold returns the midpoint between the values on both sides of a place in the order of column j.
func (o *order) threshold(x linear.Matrix, j, at int) float64 {
	rows := o.rows[j*o.n:]
	return midpoint(x.Data[int(rows[at-1])*x.Cols+j], x.Data[int(rows[at])*x.Cols+j])
}

// midpoint returns a threshold t with a ≤ t < b, also for adjacent floating-point numbers.
func midpoint(a, b float64) float64 {
	if t := (a + b) / 2; t < b {
		return t
	}
	return a
}

package boost

import (
	"context"
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// order holds the rows sorted by every column. It is computed once per fit.
type order struct {
	n, d    int       // rows with a weight, columns
	rows    []int32   // d×n: the rows in ascending order of each column
	ends    [][]int32 // ends[j][k]: how many rows lie below threshold k of column j
	heavy   []int     // index of the largest group of equal values; sums skip that group
	workers int       // workers of a scan; each has its own buffers
}

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
	o.rows, o.ends, o.heavy = make([]int32, o.n*o.d), make([][]int32, o.d), make([]int, o.d)
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
	o.ends[j], o.heavy[j] = ends, heaviest(ends, o.n)
}

// heaviest returns the index of the largest group of equal values.
func heaviest(ends []int32, n int) int {
	at, most, start := 0, 0, 0
	for k := range len(ends) + 1 {
		end := n
		if k < len(ends) {
			end = int(ends[k])
		}
		if end-start > most {
			at, most = k, end-start
		}
		start = end
	}
	return at
}

// threshold returns the midpoint between the values on both sides of threshold k of column j.
func (o *order) threshold(x linear.Matrix, j, k int) float64 {
	at := j*o.n + int(o.ends[j][k])
	return midpoint(x.Data[int(o.rows[at-1])*x.Cols+j], x.Data[int(o.rows[at])*x.Cols+j])
}

// midpoint returns a threshold t with a ≤ t < b, also for adjacent floating-point numbers.
func midpoint(a, b float64) float64 {
	if t := (a + b) / 2; t < b {
		return t
	}
	return a
}

// sums stores in dst, for each threshold of column j, the sum of g over the rows below it, and
// returns dst.
func (o *order) sums(dst, g []float64, total float64, j int) []float64 {
	if len(o.ends[j]) < o.n/dense {
		return o.groups(dst, g, total, j)
	}
	rows := o.rows[j*o.n : (j+1)*o.n]
	prefix(dst, g, rows)
	for k, end := range o.ends[j] {
		dst[k] = dst[end-1] // k < end, so no value is overwritten before it is read
	}
	return dst[:len(o.ends[j])]
}

// dense is the number of rows per group from which each group is summed separately.
const dense = 4

// prefix stores the cumulative sums of g over rows, in groups of four to shorten the chain of
// dependent additions.
func prefix(dst, g []float64, rows []int32) {
	s, k := 0.0, 0
	for ; k+4 <= len(rows); k += 4 {
		r, out := rows[k:k+4:k+4], dst[k:k+4:k+4]
		a := g[r[0]]
		b := a + g[r[1]]
		c := g[r[2]]
		d := c + g[r[3]]
		out[0], out[1], out[2], out[3] = s+a, s+b, s+(b+c), s+(b+d)
		s += b + d
	}
	for ; k < len(rows); k++ {
		s += g[rows[k]]
		dst[k] = s
	}
}

// groups is sums for columns with few distinct values. The largest group of equal values is not
// summed: sums above it are subtracted from total, starting at the top.
func (o *order) groups(dst, g []float64, total float64, j int) []float64 {
	rows, ends, heavy := o.rows[j*o.n:(j+1)*o.n], o.ends[j], o.heavy[j]
	dst = dst[:len(ends)]
	s, start := 0.0, int32(0)
	for k, end := range ends[:heavy] {
		s += gather(g, rows[start:end])
		dst[k], start = s, end
	}
	s, start = total, int32(o.n)
	for k := len(ends) - 1; k >= heavy; k-- {
		s -= gather(g, rows[ends[k]:start])
		dst[k], start = s, ends[k]
	}
	return dst
}

// gather sums g over rows, in four independent sums that the processor can overlap.
func gather(g []float64, rows []int32) float64 {
	a, b, c, d := 0.0, 0.0, 0.0, 0.0
	for ; len(rows) >= 4; rows = rows[4:] {
		a += g[rows[0]]
		b += g[rows[1]]
		c += g[rows[2]]
		d += g[rows[3]]
	}
	for _, r := range rows {
		a += g[r]
	}
	return (a + b) + (c + d)
}

// farthest returns the largest distance of the cumulative sums from c.
func (o *order) farthest(scratch, g []float64, total, c float64, j int) float64 {
	most := 0.0
	for _, s := range o.sums(scratch, g, total, j) {
		if a := math.Abs(s - c); a > most {
			most = a
		}
	}
	return most
}

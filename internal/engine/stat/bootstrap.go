package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/parallel"
)

// Resample draws rows with replacement. A draw depends only on the seed and the replicate's number, so
// replicates may run in any order.
type Resample struct {
	n    int     // number of units, all drawn with the same probability
	rows [][]int // rows of each unit; nil when every unit is a single row
}

// Rows draws n out of n rows.
func Rows(n int) Resample { return Resample{n: n} }

// ResampleGroups draws whole groups, as many as there are, so that rows of one patient stay together (Davison
// and Hinkley 1997, section 3.8). The number of rows drawn can differ from that of the data.
func ResampleGroups[T comparable](group []T) Resample {
	rows := parts(group)
	return Resample{len(rows), rows}
}

// parts returns the rows of each value, in order of first appearance.
func parts[T comparable](v []T) (rows [][]int) {
	at := map[T]int{}
	for i, x := range v {
		k, ok := at[x]
		if !ok {
			k = len(rows)
			at[x], rows = k, append(rows, nil)
		}
		rows[k] = append(rows[k], i)
	}
	return rows
}

// Draw returns the rows of one replicate. It reuses dst where its capacity suffices.
func (r Resample) Draw(dst []int, seed, replicate uint64) []int {
	random := rand.New(rand.NewPCG(seed, replicate))
	dst = dst[:0]
	for range r.n {
		u := random.IntN(r.n)
		if r.rows == nil {
			dst = append(dst, u)
		} else {
			dst = append(dst, r.rows[u]...)
		}
	}
	return dst
}

// Draws are the settings of a bootstrap. The zero value draws nothing.
type Draws struct {
	Replicates int
	Seed       uint64
	Resample   *Resample // nil means Rows
}

// run computes k statistics on every replicate and returns k lists. It yields to other work between replicates
// (parallel.Yield) and ends with the context.
func (d Draws) run(ctx context.Context, n, k int, of func(rows []int) []float64) ([][]float64, error) {
	r := d.Resample
	if r == nil {
		all := Rows(n)
		r = &all
	}
	draws := make([][]float64, k)
	var rows []int
	for b := range d.Replicates {
		if err := parallel.Yield(ctx); err != nil {
			return nil, err
		}
		rows = r.Draw(rows, d.Seed, uint64(b))
		for j, v := range of(rows) {
			draws[j] = append(draws[j], v)
		}
	}
	return draws, nil
}

// Percentiles returns the 2.5th and 97.5th percentile of draws. NaN draws (of a sample with one class, for
// example) do not count. The result is NaN when more than a tenth of the draws are NaN or fewer than 40 are
// left, since the 2.5th percentile would then be an extreme. Quantiles are of type 7, as in numpy.percentile;
// R's boot.ci(type = "perc") takes the order statistic (R+1)·p instead, which is less than one draw away.
func Percentiles(draws []float64) (low, high float64) {
	s := slices.DeleteFunc(slices.Clone(draws), math.IsNaN)
	if len(s) < 40 || 10*len(s) < 9*len(draws) {
		return math.NaN(), math.NaN()
	}
	sortFloats(s)
	return quantile(s, 0.025), quantile(s, 0.975)
}

// at returns the values of these rows; nil for a nil slice.
func at[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	u := make([]T, len(rows))
	for i, row := range rows {
		u[i] = v[row]
	}
	return u
}

package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/parallel"
)

// Resample says how to draw rows with replacement. Its draws depend on the
// seed and the replicate alone, so that replicates may run in any order.
type Resample struct {
	n    int     // units, each drawn alike
	rows [][]int // the rows of each unit; nil when a unit is a row
}

// Rows draws n of n rows.
func Rows(n int) Resample { return Resample{n: n} }

// ResampleGroups draws whole groups, as many as there are: rows of one patient stay
// together (Davison and Hinkley 1997, 3.8). A draw may be longer or shorter
// than the data.
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

// Draw returns the rows of one replicate, in dst's memory when it suffices.
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

// Draws settles a bootstrap. The zero value draws nothing.
type Draws struct {
	Replicates int
	Seed       uint64
	Resample   *Resample // nil: Rows
}

// run returns what k statistics are on every replicate: k lists. It gives way to others between two
// replicates (parallel.Yield), and ends with the context.
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

// Percentiles returns the 2.5th and 97.5th percentile of draws. Draws that are
// NaN (one class only, say) don't count; NaN when more than a tenth are, or
// under 40 are left, of which the 2.5th percentile would be an extreme. They are
// quantiles of type 7, as of numpy.percentile; boot.ci(type = "perc") takes the
// order statistic (R+1)·p instead, less than one draw away.
func Percentiles(draws []float64) (low, high float64) {
	s := slices.DeleteFunc(slices.Clone(draws), math.IsNaN)
	if len(s) < 40 || 10*len(s) < 9*len(draws) {
		return math.NaN(), math.NaN()
	}
	sortFloats(s)
	return quantile(s, 0.025), quantile(s, 0.975)
}

// at returns the values of the rows; nil of nil.
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

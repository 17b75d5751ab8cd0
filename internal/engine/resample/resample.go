// Package resample divides rows into folds. Runs, bootstraps and studies share it, so that the
// same seed and rows give the same folds everywhere.
package resample

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
)

// Rows describes the rows to divide.
type Rows struct {
	Label   []int // class of each row, from 0
	Classes int
	Group   []int // group of each row; groups stay together; nil = none
}

// Division is the part of each row, from 1; 0 = none.
type Division []uint8

// Where returns the rows whose part is wanted, ascending.
func (d Division) Where(wanted func(part uint8) bool) []int {
	n := 0
	for _, k := range d {
		if wanted(k) {
			n++
		}
	}
	at := make([]int, 0, n)
	for i, k := range d {
		if wanted(k) {
			at = append(at, i)
		}
	}
	return at
}

// Folds returns the random generator for the folds of a repeat. outer = 0 is for the evaluation
// folds and the final fit, others for the inner folds within that evaluation fold.
func Folds(seed uint64, repeat, outer int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1<<48|uint64(repeat)<<24|uint64(outer)))
}

// Deal assigns the rows at some positions to parts in proportion to shares, stratified by
// class, with groups kept together. Units (rows or groups) come in random order, larger groups
// first. Each goes where it increases Σ n²/(share·N²) over the classes least. For single rows
// this is the Sainte-Laguë method, so each count differs from its share by less than one row.
func (r Rows) Deal(ctx context.Context, at []int, shares []float64, rng *rand.Rand) (Division, error) {
	units, err := r.shuffled(ctx, at, rng)
	if err != nil {
		return nil, err
	}
	total := make([]float64, r.Classes)
	for _, i := range at {
		total[r.Label[i]]++
	}
	held := make([][]float64, len(shares))
	for p := range held {
		held[p] = make([]float64, r.Classes)
	}
	n := make([]float64, r.Classes) // of one unit
	part := make(Division, len(r.Label))
	dealt := 0
	for unit := range units {
		if dealt++; dealt%cancelEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		clear(n)
		for _, i := range unit {
			n[r.Label[i]]++
		}
		to := cheapest(held, shares, total, n)
		for j, more := range n {
			held[to][j] += more
		}
		for _, i := range unit {
			part[i] = uint8(to + 1)
		}
	}
	return part, nil
}

// Even are k equal shares.
func Even(k int) []float64 { return slices.Repeat([]float64{1 / float64(k)}, k) }

// cancelEvery is the number of rows between two checks of the context.
const cancelEvery = 1024

// cheapest returns the part in which n rows of each class increase the sum least; ties go to
// the emptiest part, then to the first.
func cheapest(held [][]float64, shares, total, n []float64) int {
	best, least, size := 0, 0.0, 0.0
	for p, share := range shares {
		cost, filled := 0.0, 0.0
		for k := range n {
			if total[k] > 0 {
				cost += n[k] * (2*held[p][k] + n[k]) / (share * total[k] * total[k])
			}
			filled += held[p][k]
		}
		filled /= share
		if p == 0 || cost < least || cost == least && filled < size {
			best, least, size = p, cost, filled
		}
	}
	return best
}

// shuffled returns the units of the positions (rows or groups) in random order, larger groups
// first.
func (r Rows) shuffled(ctx context.Context, at []int, rng *rand.Rand) (iter.Seq[[]int], error) {
	if r.Group == nil {
		single := slices.Clone(at)
		return slices.Chunk(single, 1), shuffle(ctx, single, rng)
	}
	var units [][]int
	unit := map[int]int{}
	for _, i := range at {
		u, ok := unit[r.Group[i]]
		if !ok {
			u = len(units)
			unit[r.Group[i]] = u
			units = append(units, nil)
		}
		units[u] = append(units[u], i)
	}
	err := shuffle(ctx, units, rng)
	slices.SortStableFunc(units, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return slices.Values(units), err
}

// shuffle is rng.Shuffle with checks of the context.
func shuffle[T any](ctx context.Context, list []T, rng *rand.Rand) error {
	for i := len(list) - 1; i > 0; i-- {
		if i%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		j := rng.IntN(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return nil
}

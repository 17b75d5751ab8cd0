package resample

import (
	"context"
	"math/rand/v2"
)

// Purposes of random numbers. Each has its own streams, so that no draw shifts those of another
// purpose. Purpose 1 is the folds.
const (
	PurposeSample    = 2 + iota // rows of a subsample
	PurposeNoise                // order in which labels flip
	PurposeBootstrap            // folds within a bootstrap sample
	PurposePreview              // rows of a preview
	PurposeTuning               // rows of a training part on which λ is chosen
)

// Source returns the generator for a purpose.
func Source(seed uint64, purpose, a, b int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<48|uint64(a)<<24|uint64(b)))
}

// Pick returns the values at the given positions.
func Pick[T any](from []T, at []int) []T {
	to := make([]T, len(at))
	for i, k := range at {
		to[i] = from[k]
	}
	return to
}

// Positions are 0 … n−1.
func Positions(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// HoldOut returns the split of a run over ungrouped rows of the classes 0 … classes−1: true
// where validation of kind split holds a row out.
func HoldOut(ctx context.Context, class []int, classes int, share float64, seed uint64) ([]bool, error) {
	dealt, err := Rows{Label: class, Classes: classes}.Deal(ctx, Positions(len(class)),
		[]float64{1 - share, share}, Folds(seed, 0, 0))
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(class))
	for i, part := range dealt {
		held[i] = part == 2
	}
	return held, nil
}

// Repeat repeats each value times[i] times; nil means once.
func Repeat[T any](v []T, times []int) []T {
	if times == nil {
		return v
	}
	var all []T
	for i, n := range times {
		for range n {
			all = append(all, v[i])
		}
	}
	return all
}

// First returns the first m of a random order of 0 … n−1. The order does not depend on m, and takes
// memory for m numbers only.
func First(n, m int, rng *rand.Rand) []int {
	order := make([]int, min(m, n))
	moved := map[int]int{} // what the shuffle has put at a later place
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	for i := range order {
		j := i + rng.IntN(n-i)
		order[i] = at(j)
		moved[j] = at(i)
	}
	return order
}

package synth

import (
	"cmp"
	"math"
	"slices"
)

// Kinds of noise (docs/math.md, Datasets and noise).
const (
	NoiseNone        = "none"
	NoiseSymmetric   = "symmetric"    // each label flips with probability Rate
	NoiseRandom      = "random"       // exactly round(Rate·n) labels flip
	NoiseClass       = "class"        // each label flips with the probability of its class
	NoiseSmallMargin = "small-margin" // of the correctly classified rows, those nearest the decision boundary flip
	NoiseLargeMargin = "large-margin" // of the correctly classified rows, those farthest from it flip
	NoiseInstance    = "instance"     // exactly round(Rate·n) rows get the features of a row of another class
)

// NoiseKinds lists the kinds in the order of the API.
var NoiseKinds = []string{NoiseNone, NoiseSymmetric, NoiseRandom, NoiseClass, NoiseSmallMargin, NoiseLargeMargin,
	NoiseInstance}

// Noise describes the corruption of a training set. It is nested: the rows corrupted at a rate
// are also corrupted at every higher rate.
type Noise struct {
	Kind                       string
	Rate                       float64 // of all kinds except class
	RatePositive, RateNegative float64 // of kind class
}

// ByMargin reports whether the kind needs the margins of a model of the clean rows.
func (n Noise) ByMargin() bool { return n.Kind == NoiseSmallMargin || n.Kind == NoiseLargeMargin }

// Replaces reports whether the kind replaces features instead of labels.
func (n Noise) Replaces() bool { return n.Kind == NoiseInstance }

// Rows returns which rows are corrupted. order holds a uniform number in [0, 1) per row, drawn
// once per seed; it is the order in which rows become corrupted as the rate grows. margin holds
// y·f of a model of the clean rows; only the margin kinds use it.
func (n Noise) Rows(order []float64, positive []bool, margin []float64) []bool {
	if len(positive) != len(order) || n.ByMargin() && len(margin) != len(order) {
		panic("synth: shape mismatch")
	}
	corrupted := make([]bool, len(order))
	switch n.Kind {
	case NoiseSymmetric, NoiseClass:
		for i, u := range order {
			corrupted[i] = u < n.rate(positive[i])
		}
	case NoiseRandom, NoiseInstance:
		n.first(corrupted, order, nil)
	case NoiseSmallMargin:
		n.first(corrupted, order, margin)
	case NoiseLargeMargin:
		far := make([]float64, len(margin))
		for i, m := range margin {
			far[i] = -m
		}
		n.first(corrupted, order, far)
	}
	return corrupted
}

// rate is the flip probability of a row of the class.
func (n Noise) rate(positive bool) float64 {
	switch {
	case n.Kind != NoiseClass:
		return n.Rate
	case positive:
		return n.RatePositive
	}
	return n.RateNegative
}

// Count is the number of rows out of n that the exact kinds corrupt.
func (n Noise) Count(rows int) int { return int(math.Round(n.Rate * float64(rows))) }

// first corrupts the rows with the smallest keys, ties by order; without keys by order alone.
// With keys, only rows on the correct side of the boundary (positive margin) are eligible.
func (n Noise) first(corrupted []bool, order, key []float64) {
	var rows []int
	for i := range order {
		if key == nil || n.right(key[i]) {
			rows = append(rows, i)
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		by := 0
		if key != nil {
			by = cmp.Compare(key[a], key[b])
		}
		return cmp.Or(by, cmp.Compare(order[a], order[b]), a-b)
	})
	for _, i := range rows[:min(n.Count(len(order)), len(rows))] {
		corrupted[i] = true
	}
}

// right reports whether a key, a margin or its negative, is that of a correctly classified row.
func (n Noise) right(key float64) bool {
	if n.Kind == NoiseLargeMargin {
		return key < 0
	}
	return key > 0
}

// OtherClass is the class after a flip of own: any other with equal probability, for u uniform
// in [0, 1).
func OtherClass(own, classes int, u float64) int {
	other := int(u * float64(classes-1))
	if other >= own {
		other++
	}
	return other
}

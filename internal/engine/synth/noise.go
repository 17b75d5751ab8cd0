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
	NoiseSmallMargin = "small-margin" // of the rows on the right side, those nearest the border flip
	NoiseLargeMargin = "large-margin" // and those farthest from it
	NoiseInstance    = "instance"     // exactly round(Rate·n) rows get the features of another class
)

// NoiseKinds lists them in the order of the API.
var NoiseKinds = []string{NoiseNone, NoiseSymmetric, NoiseRandom, NoiseClass, NoiseSmallMargin, NoiseLargeMargin,
	NoiseInstance}

// Noise corrupts a two-class training set. Its rows are nested: what a rate
// corrupts, every larger rate corrupts too.
type Noise struct {
	Kind                       string
	Rate                       float64 // of all kinds but class
	RatePositive, RateNegative float64 // of kind class
}

// ByMargin reports whether the kind goes by the margins of a model of the clean
// rows.
func (n Noise) ByMargin() bool { return n.Kind == NoiseSmallMargin || n.Kind == NoiseLargeMargin }

// Replaces reports whether the kind replaces features and keeps the labels.
func (n Noise) Replaces() bool { return n.Kind == NoiseInstance }

// Rows returns which rows are corrupted. Order holds a uniform number in [0, 1)
// for each row, drawn once for a seed: the order in which rows are corrupted as
// the rate grows. Margin holds y·f of a model of the clean rows and is read by
// the kinds that go by it alone.
func (n Noise) Rows(order []float64, positive []bool, margin []float64) []bool {
	if len(positive) != len(order) || n.ByMargin() && len(margin) != len(order) {
		panic("synth: shape mismatch")
	}
	spoilt := make([]bool, len(order))
	switch n.Kind {
	case NoiseSymmetric, NoiseClass:
		for i, u := range order {
			spoilt[i] = u < n.rate(positive[i])
		}
	case NoiseRandom, NoiseInstance:
		n.first(spoilt, order, nil)
	case NoiseSmallMargin:
		n.first(spoilt, order, margin)
	case NoiseLargeMargin:
		far := make([]float64, len(margin))
		for i, m := range margin {
			far[i] = -m
		}
		n.first(spoilt, order, far)
	}
	return spoilt
}

// rate is the probability with which a row of the class flips.
func (n Noise) rate(positive bool) float64 {
	switch {
	case n.Kind != NoiseClass:
		return n.Rate
	case positive:
		return n.RatePositive
	}
	return n.RateNegative
}

// Count is the number of rows that the exact kinds corrupt of n.
func (n Noise) Count(rows int) int { return int(math.Round(n.Rate * float64(rows))) }

// first corrupts the first rows by key, then by order; without keys by order
// alone. A key of the margin's kinds is that of a row on the right side where
// the margin is positive; others are passed over.
func (n Noise) first(spoilt []bool, order, key []float64) {
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
		spoilt[i] = true
	}
}

// right reports whether a key, the margin or its opposite, is that of a row on
// the right side.
func (n Noise) right(key float64) bool {
	if n.Kind == NoiseLargeMargin {
		return key < 0
	}
	return key > 0
}

// OtherClass is the class that a flip makes of own: each of the others as likely
// for u uniform in [0, 1).
func OtherClass(own, classes int, u float64) int {
	other := int(u * float64(classes-1))
	if other >= own {
		other++
	}
	return other
}

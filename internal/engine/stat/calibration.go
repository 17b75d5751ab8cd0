package stat

import (
	"taper/internal/engine/odds"

	"math"
	"slices"
)

// logits returns logit p. ok is false when a p lies outside [0, 1] or a class has no rows.
func logits(p []float64, event []bool) (x []float64, ok bool) {
	sameLength(len(p), len(event))
	x = make([]float64, len(p))
	for i, q := range p {
		if !(q >= 0 && q <= 1) {
			return nil, false
		}
		x[i] = odds.Logit(odds.Within(q))
	}
	n := count(event)
	return x, n > 0 && n < len(event)
}

// offset returns the solution a of Σ y − σ(a + x) = 0 and its standard error 1/√Σ σ(1−σ), by Newton steps
// within a bracket. The bracket contains a, since σ(a + x) ≤ ȳ everywhere for a = logit ȳ − max x, and ≥
// ȳ for a = logit ȳ − min x.
func offset(x []float64, event []bool) (a, se float64) {
	base := odds.Logit(share(event))
	lo, hi := base-slices.Max(x), base-slices.Min(x)
	a = min(max(0, lo), hi)
	var g, h float64
	for range steps {
		g, h = 0, 0
		for i, v := range x {
			r, w := residual(a+v, event[i])
			g, h = g+r, h+w
		}
		if g > 0 {
			lo = a
		} else {
			hi = a
		}
		next := a + g/h
		if !(next >= lo && next <= hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-a) <= 1e-13*(1+math.Abs(a)) {
			return next, 1 / math.Sqrt(h)
		}
		a = next
	}
	return a, 1 / math.Sqrt(h)
}

const (
	storedPoints = 100 // points of the calibration curve
	storedBins   = 20
	// storedDraws is the largest number of refits behind the intervals of the calibration errors. They are
	// shown with two digits, which more refits would not change.
	storedDraws = 200
	storedWork  = 1_000_000 // largest rows × refits
)

// CurveDraws is the number of refits of the calibration curve of n rows; 0 where the budget allows too few for
// a percentile.
func CurveDraws(n int) int {
	if k := min(storedDraws, storedWork/max(n, 1)); k >= 50 {
		return k
	}
	return 0
}

// StoredCurve returns the calibration curve as runs and external validations store it; nil without
// probabilities.
func StoredCurve(s Scores) *SmoothedCalibration {
	c := CalibrationCurve(s.Probability, s.Event, storedPoints, storedBins)
	return &c
}

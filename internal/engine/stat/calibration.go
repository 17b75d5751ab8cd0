package stat

import (
	"taper/internal/engine/odds"

	"math"
	"slices"
)

// logits returns logit p. Not ok when a p is no probability, or a class has no
// rows.
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

// offset returns the a that solves Σ y − σ(a + x) = 0 and its standard error
// 1/√Σ σ(1−σ): Newton inside a bracket that holds it, since σ(a + x) is at most
// ȳ everywhere for a = logit ȳ − max x and at least ȳ for logit ȳ − min x.
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
	storedPoints = 100 // of the calibration curve
	storedBins   = 20
	// storedDraws bounds the refits of the calibration curve behind the intervals of its
	// errors: long data need no interval to a third digit.
	storedDraws = 200
	storedWork  = 1_000_000 // rows times refits
)

// CurveDraws is the number of refits of a calibration curve of n rows, none where
// too few are affordable for a percentile.
func CurveDraws(n int) int {
	if k := min(storedDraws, storedWork/max(n, 1)); k >= 50 {
		return k
	}
	return 0
}

// StoredCurve is the curve of rows with probabilities, as runs and validations draw it.
func StoredCurve(s Scores) *SmoothedCalibration {
	c := CalibrationCurve(s.Probability, s.Event, storedPoints, storedBins)
	return &c
}

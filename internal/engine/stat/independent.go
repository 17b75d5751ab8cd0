package stat

import "math"

// IndependentDifference returns a − b of two samples that share no row, with
// the interval that recovers the variance near the limits from the two
// intervals (Zou and Donner 2008, Statistics in Medicine 27:1693): the distances
// squared and added. Of two proportions with Wilson's intervals it is Newcombe's
// method 10. No interval where one of the two has none.
func IndependentDifference(a, b Estimate) Estimate {
	p, pl, pu := OrNaN(a.Value), OrNaN(a.Low), OrNaN(a.High)
	q, ql, qu := OrNaN(b.Value), OrNaN(b.Low), OrNaN(b.High)
	return estimate(p-q, p-q-math.Hypot(p-pl, qu-q), p-q+math.Hypot(pu-p, q-ql))
}

// IndependentRatio is a/b of two positive numbers, by the same on the scale of
// logarithms.
func IndependentRatio(a, b Estimate) Estimate {
	d := IndependentDifference(logged(a), logged(b))
	of := func(v *float64) float64 { return math.Exp(OrNaN(v)) }
	return estimate(of(d.Value), of(d.Low), of(d.High))
}

func logged(e Estimate) Estimate {
	of := func(v *float64) float64 { return math.Log(OrNaN(v)) }
	return estimate(of(e.Value), of(e.Low), of(e.High))
}

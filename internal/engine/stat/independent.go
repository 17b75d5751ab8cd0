package stat

import "math"

// IndependentDifference returns a − b for two samples without common rows. Its interval is computed from the
// two intervals: the squared distances from estimate to limit are added (MOVER; Zou and Donner 2008, Statistics
// in Medicine 27:1693). For two proportions with Wilson's intervals it equals Newcombe's method 10. There is no
// interval where one of the two has none.
func IndependentDifference(a, b Estimate) Estimate {
	p, pl, pu := OrNaN(a.Value), OrNaN(a.Low), OrNaN(a.High)
	q, ql, qu := OrNaN(b.Value), OrNaN(b.Low), OrNaN(b.High)
	return estimate(p-q, p-q-math.Hypot(p-pl, qu-q), p-q+math.Hypot(pu-p, q-ql))
}

// IndependentRatio returns a/b for positive numbers, by the same method on the logarithmic scale.
func IndependentRatio(a, b Estimate) Estimate {
	d := IndependentDifference(logged(a), logged(b))
	of := func(v *float64) float64 { return math.Exp(OrNaN(v)) }
	return estimate(of(d.Value), of(d.Low), of(d.High))
}

func logged(e Estimate) Estimate {
	of := func(v *float64) float64 { return math.Log(OrNaN(v)) }
	return estimate(of(e.Value), of(e.Low), of(e.High))
}

package stat

import "math"

// ProportionDifference returns a/m − b/n of two samples with Newcombe's hybrid score interval (1998, Statistics
// in Medicine 17:873, method 10): the squared distances from proportion to Wilson limit are added.
func ProportionDifference(a, m, b, n int) Estimate {
	return difference(Proportion(a, m), Proportion(b, n))
}

// difference returns the difference of two independent estimates that have values. The squared distances from value
// to limit are added, which for normal intervals is the normal one.
func difference(x, y Estimate) Estimate {
	p, q := OrNaN(x.Value), OrNaN(y.Value)
	return estimate(p-q, p-q-math.Hypot(p-OrNaN(x.Low), OrNaN(y.High)-q), p-q+math.Hypot(OrNaN(x.High)-p, q-OrNaN(y.Low)))
}

// PairedDifference returns the difference of two proportions over the same rows. Of n rows, both are positive
// in both measurements, first and second in one only, neither in none; the value is (first − second)/n. The
// interval is Newcombe's (1998, Statistics in Medicine 17:2635, method 10), which subtracts a term with the
// correlation φ; a positive numerator of φ is reduced by n/2, but not below 0.
func PairedDifference(both, first, second, neither int) Estimate {
	n := both + first + second + neither
	a, b := both+first, both+second
	p, q := float64(a)/float64(n), float64(b)/float64(n)
	pl, pu := Wilson(a, n)
	ql, qu := Wilson(b, n)
	r := phi(both, first, second, neither)
	side := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*r*x*y+y*y)) }
	d := float64(first-second) / float64(n)
	return estimate(d, d-side(p-pl, qu-q), d+side(pu-p, q-ql))
}

// phi is the corrected correlation of a 2×2 table, 0 when a margin is 0.
func phi(both, first, second, neither int) float64 {
	e, f, g, h := float64(both), float64(first), float64(second), float64(neither)
	margins := (e + f) * (g + h) * (e + g) * (f + h)
	if margins == 0 {
		return 0
	}
	num := e*h - f*g
	if num > 0 {
		num = max(0, num-(e+f+g+h)/2)
	}
	return num / math.Sqrt(margins)
}

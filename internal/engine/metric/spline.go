package metric

import (
	"math"
	"slices"
)

// knots returns Harrell's knots for a restricted cubic spline: quantiles .05
// and .95 and equally between (.1, .5, .9 for three); under 100 values the
// outer ones are the fifth smallest and largest (Hmisc::rcspline.eval). nil
// when two coincide.
func knots(x []float64, k int) []float64 {
	s := slices.Clone(x)
	sortFloats(s)
	outer := 0.05
	if k == 3 {
		outer = 0.1
	}
	t := make([]float64, k)
	for j := range t {
		t[j] = quantile(s, outer+(1-2*outer)*float64(j)/float64(k-1))
	}
	if n := len(s); n < 100 && n >= 10 {
		t[0], t[k-1] = s[4], s[n-5]
	}
	for j := 1; j < k; j++ {
		if !(t[j] > t[j-1]) {
			return nil
		}
	}
	return t
}

// natural appends to dst the row 1, x and the k−2 nonlinear terms of the
// natural cubic spline with knots t, scaled by (t_k − t_1)² (Harrell,
// Regression Modeling Strategies, 2.24–2.25): cubic between the knots and a
// straight line outside.
func natural(dst []float64, x float64, t []float64) []float64 {
	dst = append(dst, 1, x)
	k := len(t)
	if k == 0 {
		return dst
	}
	last, before := t[k-1], t[k-2]
	width := last - t[0]
	for _, knot := range t[:k-2] {
		v := cube(x-knot) - cube(x-before)*(last-knot)/(last-before) + cube(x-last)*(before-knot)/(last-before)
		dst = append(dst, v/(width*width))
	}
	return dst
}

// cube returns max(x, 0)³.
func cube(x float64) float64 { return math.Pow(max(x, 0), 3) }

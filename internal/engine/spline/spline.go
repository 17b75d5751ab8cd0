// Package spline is the basis of natural (restricted) cubic splines. A numeric predictor enters
// a linear model as itself and k−2 nonlinear terms; calibration curves are splines of the
// logit. Knots are at Harrell's quantiles, so they depend on the predictor alone and cannot be
// tuned to the outcome.
//
// Conventions: values are finite, and ascending where they are called sorted; knots are
// strictly ascending, at least three. Nonlinear terms count from 0.
package spline

import "math"

// Limits of the number of knots.
const (
	MinKnots = 3
	MaxKnots = 5
)

// Knots returns Harrell's k knots: the quantiles .05 and .95 and equally spaced ones between
// (.1, .5, .9 for three). With fewer than 100 values the outer ones are the fifth smallest and
// fifth largest (Hmisc::rcspline.eval; Harrell, Regression Modeling Strategies, section 2.4.6).
// It returns nil if two knots coincide, or if there are fewer values than knots.
func Knots(sorted []float64, k int) []float64 {
	if len(sorted) < k {
		return nil
	}
	outer := 0.05
	if k == 3 {
		outer = 0.1
	}
	t := make([]float64, k)
	for j := range t {
		t[j] = Quantile(sorted, outer+(1-2*outer)*float64(j)/float64(k-1))
	}
	if n := len(sorted); n < 100 && n >= 10 {
		t[0], t[k-1] = sorted[4], sorted[n-5]
	}
	for j := 1; j < k; j++ {
		if !(t[j] > t[j-1]) {
			return nil
		}
	}
	return t
}

// Distinct reports whether there are more than k distinct values: a spline with k knots through
// k values or fewer interpolates instead of smoothing.
func Distinct(sorted []float64, k int) bool {
	n := 0
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			if n++; n > k {
				return true
			}
		}
	}
	return false
}

// Quantile returns the type-7 quantile of sorted values (Hyndman and Fan 1996); NaN without
// values.
func Quantile(sorted []float64, p float64) float64 {
	return QuantileOf(len(sorted), p, func(i int) float64 { return sorted[i] })
}

// QuantileOf returns the type-7 quantile of n values, of which ranked gives the i-th smallest from 0 on. It asks for
// two of them at most.
func QuantileOf(n int, p float64, ranked func(i int) float64) float64 {
	if n == 0 {
		return math.NaN()
	}
	at := p * float64(n-1)
	i := int(at)
	if i+1 >= n {
		return ranked(n - 1)
	}
	low := ranked(i)
	return low + (at-float64(i))*(ranked(i+1)-low)
}

// Append appends the len(knots)−2 nonlinear terms at x to dst; none without knots.
func Append(dst []float64, x float64, knots []float64) []float64 {
	for j := range len(knots) - 2 {
		dst = append(dst, Term(x, knots, j))
	}
	return dst
}

// Term returns curved term j at x, divided by the square of w, the distance of
// the outer knots, so that its unit is that of x (Harrell, 2.24–2.25):
//
//	((x−t_j)₊³ − (x−t_{k−1})₊³ (t_k−t_j)/(t_k−t_{k−1})
//	  + (x−t_k)₊³ (t_{k−1}−t_j)/(t_k−t_{k−1})) / w²
//
// It is 0 up to t_j and a straight line from the last knot on, which is
// evaluated as one: three cubes far away would leave nothing of their
// difference.
func Term(x float64, knots []float64, j int) float64 {
	k := len(knots)
	first, before, last := knots[j], knots[k-2], knots[k-1]
	w := last - knots[0]
	gap, reach, room := (last-before)/w, (last-first)/w, (before-first)/w
	if x >= last {
		return w*reach*(reach*reach-gap*gap) + 3*reach*room*(x-last)
	}
	return w * (cube((x-first)/w) - cube((x-before)/w)*reach/gap)
}

// cube returns max(x, 0)³.
func cube(x float64) float64 {
	x = math.Max(x, 0)
	return x * x * x
}

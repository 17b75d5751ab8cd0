package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// moments returns mean and standard deviation (n−1); the latter is NaN for
// fewer than two values.
func moments(v []float64) (mean, sd float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	if len(v) < 2 {
		return mean, math.NaN()
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// tQuantile is the 97.5 % quantile of Student's t for n values.
func tQuantile(n int) float64 {
	if n < 2 {
		return math.NaN()
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
}

// Median returns the middle of sorted values.
func Median(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// medianShares are the probabilities with which each of n order statistics is the median of a bootstrap
// sample: I(i/n) − I((i−1)/n), where I is the regularised incomplete beta function with both parameters
// (n+1)/2 (Maritz and Jarrett 1978; for odd n it equals Efron's bootstrap of 1979 with infinitely many
// samples).
func medianShares(n int) []float64 {
	a, below := float64(n+1)/2, 0.0
	w := make([]float64, n)
	for i := range w {
		upTo := mathext.RegIncBeta(a, a, float64(i+1)/float64(n))
		w[i], below = upTo-below, upTo
	}
	return w
}

// medianSE is the bootstrap standard error of the median of sorted values; NaN
// for fewer than two.
func medianSE(sorted, shares []float64) float64 {
	if len(sorted) < 2 {
		return math.NaN()
	}
	middle := sorted[len(sorted)/2] // subtracted first to avoid cancellation far from 0
	first, second := 0.0, 0.0
	for i, w := range shares {
		x := sorted[i] - middle
		first += w * x
		second += w * x * x
	}
	return math.Sqrt(max(0, second-first*first))
}

// medianDifference returns the difference of the medians of paired values and its standard error. The
// correlation of the two medians is taken as Blomqvist's β, the mean of sign(x − median)·sign(y −
// median), which is its value in large samples (Blomqvist 1950).
func medianDifference(x, y []float64) (d, se float64) {
	a, b, shares := finite(x), finite(y), medianShares(len(x))
	atX, atY, beta := Median(a), Median(b), 0.0
	for i := range x {
		if side := (x[i] - atX) * (y[i] - atY); side != 0 {
			beta += math.Copysign(1/float64(len(x)), side)
		}
	}
	seX, seY := medianSE(a, shares), medianSE(b, shares)
	return atX - atY, math.Sqrt(max(0, seX*seX+seY*seY-2*beta*seX*seY))
}

// finite returns the values that exist, sorted.
func finite(v []float64) []float64 {
	var kept []float64
	for _, x := range v {
		if !math.IsNaN(x) {
			kept = append(kept, x)
		}
	}
	slices.Sort(kept)
	return kept
}

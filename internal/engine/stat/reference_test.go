package stat

import (
	"math"
	"slices"
	"testing"

	"taper/testdata/oracle"
)

// The reference tests hold this package to values that other programs computed
// of the same rows (bench/reference; the call of every value is beside it in
// testdata/oracle/statistics-*.json), each to the last digits that its solver or
// its differences allow. "Base R" is a published definition without a package.

type cohort = oracle.Rows

// numbers returns the value, low and high of estimates, NaN for nil.
func numbers(all ...Estimate) (v []float64) {
	for _, e := range all {
		v = append(v, OrNaN(e.Value), OrNaN(e.Low), OrNaN(e.High))
	}
	return v
}

// values returns what pointers hold, NaN for nil.
func values(all ...*float64) (v []float64) {
	for _, p := range all {
		v = append(v, OrNaN(p))
	}
	return v
}

// bands returns the number of boundaries below each risk.
func bands(p []float64, pi ...float64) []int {
	band := make([]int, len(p))
	for i, q := range p {
		for _, b := range pi {
			if q > b {
				band[i]++
			}
		}
	}
	return band
}

// fit is the logistic regression of the event on the measurements.
func fit(r cohort) (beta, se, score []float64) {
	x := r.X(true)
	f, score, ok := logistic(x, 5, r.Event(), nil)
	if !ok {
		panic("no finite fit")
	}
	for j := range f.beta {
		se = append(se, math.Sqrt(f.cov.At(j, j)))
	}
	return f.beta, se, score
}

// arms counts events and rows where x4 is 1, then where it is 0.
func arms(r cohort) (a, m, b, n int) {
	for i, y := range r.Y {
		if r.X4[i] == 1 {
			a, m = a+y, m+1
		} else {
			b, n = b+y, n+1
		}
	}
	return a, m, b, n
}

// R 4.2.2 with the packages named at each list, Debian 12.
func TestReferenceR(t *testing.T) {
	oracle.Hold(t, "statistics-r", slices.Concat(discriminationByR(), lossesByR(), calibrationByR(), splinesByR(),
		decisionsByR(), proportionsByR(), groupsByR(), regressionByR(), quantilesByR()),
		"ridge", "optimism", "optimism_own", "optimism_original") // internal/engine/fit/linear, TestOptimismReference
}

// scikit-learn 1.2.1, statsmodels 0.13.5, scipy 1.10.1, numpy 1.24.2.
func TestReferencePython(t *testing.T) {
	oracle.Hold(t, "statistics-python", slices.Concat(twoClassesByPython(), classesByPython(), intervalsByPython()), "ridge")
}

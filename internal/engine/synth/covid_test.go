package synth

import (
	"taper/internal/engine/odds"

	"math"
	"testing"
)

// covidShare integrates the proportion of positives over the latent illness u by the
// trapezoidal rule, enumerating all symptom patterns.
func covidShare(intercept float64) float64 {
	const step = .05
	total := 0.0
	for u := -9.0; u <= 9; u += step {
		w := step * math.Exp(-u*u/2) / math.Sqrt(2*math.Pi)
		for pattern := range 1 << len(covidSymptoms) {
			p, f := w, intercept
			for j, s := range covidSymptoms {
				q := odds.Sigmoid(s.a + covidIllness*u)
				if pattern>>j&1 == 1 {
					p, f = p*q, f+s.odds
				} else {
					p *= 1 - q
				}
			}
			for _, a := range covidAges {
				total += p * a.share * (covidMale*odds.Sigmoid(f+a.odds+covidMaleOdds) + (1-covidMale)*odds.Sigmoid(f+a.odds))
			}
		}
	}
	return total
}

func TestCovidInterceptSolvesForFourteenPercent(t *testing.T) {
	lo, hi := -10.0, 0.0
	for hi-lo > 1e-9 {
		if mid := (lo + hi) / 2; covidShare(mid) < .14 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if !(math.Abs(lo-CovidIntercept) <= 1e-6) {
		t.Errorf("intercept %.7f, the constant is %.7f", lo, CovidIntercept)
	}
}

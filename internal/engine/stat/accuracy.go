package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean of v with its normal 95 % interval, ± z·SD/√n: what a
// mean of per-row losses is worth on other rows of the same kind.
func Mean(v []float64) Estimate {
	mean, sd := stat.MeanStdDev(v, nil)
	return normal(mean, sd/math.Sqrt(float64(len(v))))
}

// Brier returns the mean of (p−y)² with its analytic interval (Mean).
func Brier(p []float64, event []bool) Estimate { return Mean(squares(p, event)) }

// LogLoss returns the mean of −log P(what happened) with its analytic interval.
func LogLoss(p []float64, event []bool) Estimate { return Mean(logLosses(p, event)) }

// ScaledBrier returns 1 − B/(ȳ(1−ȳ)). Its interval is by the delta method: a
// row's influence is −(b−B)/v + B(1−2ȳ)(y−ȳ)/v² with v = ȳ(1−ȳ), which is the
// infinitesimal jackknife (Efron and Tibshirani 1993, ch. 22).
func ScaledBrier(p []float64, event []bool) Estimate {
	b := squares(p, event)
	rate, brier := share(event), stat.Mean(b, nil)
	v := rate * (1 - rate)
	for i, e := range event {
		y := -rate
		if e {
			y = 1 - rate
		}
		b[i] = -(b[i]-brier)/v + brier*(1-2*rate)*y/(v*v)
	}
	return normal(1-brier/v, stat.StdDev(b, nil)/math.Sqrt(float64(len(b))))
}

// BandLoss returns ℓ_π of the rows (IntervalLoss) with its analytic interval.
func BandLoss(pi []float64, band []int, event []bool) Estimate {
	if len(pi) == 0 {
		return Estimate{}
	}
	return Mean(bandLosses(pi, band, event))
}

// CoxSnell returns Cox and Snell's R² of the predictions, 1 − exp(−2(ℓ −
// ℓ_0)/n), with ℓ_0 of the share of events; below 0 when they predict worse
// than that share. NaN without rows of both classes.
func CoxSnell(p []float64, event []bool) float64 {
	sameLength(len(p), len(event))
	rate, sum := share(event), 0.0
	if !(rate > 0 && rate < 1) {
		return math.NaN()
	}
	for i, q := range p {
		sum += logProbability(q, event[i]) - logProbability(rate, event[i])
	}
	return -math.Expm1(-2 * sum / float64(len(p)))
}

// squares returns (p−y)² of each row.
func squares(p []float64, event []bool) []float64 {
	sameLength(len(p), len(event))
	v := make([]float64, len(p))
	for i, q := range p {
		if event[i] {
			q = 1 - q
		}
		v[i] = q * q
	}
	return v
}

// logLosses returns −log P(what happened) of each row.
func logLosses(p []float64, event []bool) []float64 {
	sameLength(len(p), len(event))
	v := make([]float64, len(p))
	for i, q := range p {
		v[i] = -logProbability(q, event[i])
	}
	return v
}

// bandLosses returns ℓ_π of each row.
func bandLosses(pi []float64, band []int, event []bool) []float64 {
	sameLength(len(band), len(event))
	events, others := bandCosts(pi)
	v := make([]float64, len(band))
	for i, k := range band {
		v[i] = others[k]
		if event[i] {
			v[i] = events[k]
		}
	}
	return v
}

package stat

import (
	"taper/internal/engine/odds"

	"math"

	"gonum.org/v1/gonum/stat"
)

var losses = []Statistic{
	{ID: "interval_loss", Label: "Interval loss", Short: "ℓπ", Better: LowerBetter, Digits: 4, Averaged: true,
		Text: "Cost of the bands, averaged over the boundaries π: 2(1 − π) for an event in a band below, 2π for a " +
			"non-event above. With infinitely many boundaries it is the Brier score. It equals the mean over the boundaries " +
			"of 2(1 − π) times the net benefit lost against a perfect model.",
		Source: "Kimes et al. 2016", How: MeanInterval,
		Needs:  NeedBoundaries,
		of:     func(r *scored) Estimate { return BandLoss(r.Pi, r.Band, r.Event) },
		perRow: func(s Scores) []float64 { return bandLosses(s.Pi, s.Band, s.Event) }},
	{ID: "cost", Label: "Mean cost", Better: LowerBetter, Digits: 4, Needs: NeedCosts,
		Text: "Average cost of an answer, by the cost matrix.",
		perAnswer: func(a Answers, row int) float64 {
			answer := a.Predicted[row]
			if answer == Abstained {
				answer = len(a.Levels)
			}
			return a.Costs[answer][a.Label[row]]
		}},
}

var overall = []Statistic{
	{ID: "rate", Label: "Share of events", Short: "Observed rate", Unit: "%", Better: NoDirection, Digits: 1,
		Unlisted: true, Reveals: Total, Text: "Events among the rows.", How: "Wilson",
		of: func(r *scored) Estimate { return Proportion(count(r.Event), len(r.Event)) }},
	{ID: "brier", Label: "Brier score", Short: "Brier", Better: LowerBetter, Digits: 4, Averaged: true, Reveals: Total,
		Text: "Mean squared difference between predicted probability and outcome; with several classes summed over them, " +
			"so up to 2.",
		Source: "Brier 1950", How: MeanInterval, Needs: NeedProbability,
		of:        func(r *scored) Estimate { return Brier(r.Probability, r.Event) },
		perRow:    func(s Scores) []float64 { return squares(s.Probability, s.Event) },
		ofClasses: meanOfAnswers(brierOf), resampledClasses: true, perAnswer: brierOf},
	{ID: "scaled_brier", Label: "Scaled Brier score", Better: HigherBetter, Digits: 3, Averaged: true, Reveals: Total,
		Text: "1 − the Brier score over that of predicting the share of events: 1 is perfect, 0 no better than " +
			"predicting the share.",
		Source: "Steyerberg et al. 2010", How: byDelta, Needs: NeedProbability,
		of:       func(r *scored) Estimate { return ScaledBrier(r.Probability, r.Event) },
		rescales: "brier"},
	{ID: "log_loss", Label: "Log loss", Better: LowerBetter, Digits: 4, Averaged: true, Reveals: Total,
		Text: "Mean of −log P of the observed outcome.", How: MeanInterval, Needs: NeedProbability,
		of:        func(r *scored) Estimate { return LogLoss(r.Probability, r.Event) },
		perRow:    func(s Scores) []float64 { return logLosses(s.Probability, s.Event) },
		ofClasses: meanOfAnswers(logLossOf), resampledClasses: true, perAnswer: logLossOf},
	{ID: "cox_snell_r2", Label: "Cox–Snell R²", Better: HigherBetter, Digits: 3, Unlisted: true, Reveals: Total,
		Text:   "1 − exp(−LR/n), LR the likelihood ratio statistic of the predictions against the share of events.",
		Source: "Cox and Snell 1989", Needs: NeedProbability | NeedPredictor,
		of: func(r *scored) Estimate { return Estimate{Value: Finite(CoxSnell(r.Probability, r.Event))} }},
}

// Brier returns the mean of (p−y)² with its analytic interval (Mean).
func Brier(p []float64, event []bool) Estimate { return meanOfRows(squares(p, event)) }

// LogLoss returns the mean of −log P(observed outcome) with its analytic interval.
func LogLoss(p []float64, event []bool) Estimate { return meanOfRows(logLosses(p, event)) }

// ScaledBrier returns 1 − B/(ȳ(1−ȳ)). Its interval is by the delta method: a
// row's influence is −(b−B)/v + B(1−2ȳ)(y−ȳ)/v² with v = ȳ(1−ȳ), which is the
// infinitesimal jackknife (Efron and Tibshirani 1993, ch. 22).
func ScaledBrier(p []float64, event []bool) Estimate {
	b := squares(p, event)
	rate, brier := share(event), total(b)/float64(len(b))
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
	return meanOfRows(bandLosses(pi, band, event))
}

// CoxSnell returns Cox and Snell's R² of the predictions, 1 − exp(−2(ℓ − ℓ_0)/n), where ℓ_0 is the
// log-likelihood of predicting the event rate for every row. It is negative for predictions worse than that,
// and NaN without rows of both classes.
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

// squares returns (p−y)² per row.
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

// logLosses returns −log P(observed outcome) per row.
func logLosses(p []float64, event []bool) []float64 {
	sameLength(len(p), len(event))
	v := make([]float64, len(p))
	for i, q := range p {
		v[i] = -logProbability(q, event[i])
	}
	return v
}

// bandLosses returns ℓ_π per row.
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

// logProbability returns log P(observed outcome).
func logProbability(p float64, event bool) float64 {
	p = odds.Within(p)
	if event {
		return math.Log(p)
	}
	return math.Log1p(-p)
}

package stat

import "math"

// Scores are the rows to be judged and what a model says of each.
type Scores struct {
	Event       []bool
	Score       []float64 // f, higher means more likely an event
	Probability []float64 // link-corrected P(event); nil when the model has none
	Band        []int     // nil without boundaries
	Pi          []float64 // the boundaries of Band
	Cut         float64   // without Probability: an event is predicted when Score > Cut; 0 is logit ½
}

// Classification returns the two-class metrics. A row is predicted to be an
// event when its probability exceeds ½; for a model without probability
// (interval, hinge) when its score exceeds Cut, whose zero value is the
// canonical cut-off δ = logit ½ of math.md §6.
func Classification(s Scores) Binary {
	s.check()
	var b Binary
	b.decisions(s)
	auc, low, high := AUC(s.Score, s.Event)
	b.AUC, b.AUCLow, b.AUCHigh = finite(auc), finite(low), finite(high)
	if s.Band != nil {
		b.IntervalLoss = finite(IntervalLoss(s.Pi, s.Band, s.Event))
	}
	if s.Probability != nil {
		b.probabilities(s.Probability, s.Event)
	}
	return b
}

// check panics on slices of unequal length.
func (s Scores) check() {
	sameLength(len(s.Score), len(s.Event))
	if s.Probability != nil {
		sameLength(len(s.Probability), len(s.Event))
	}
	if s.Band != nil {
		sameLength(len(s.Band), len(s.Event))
	}
}

// positive reports whether row i is predicted to be an event.
func (s Scores) positive(i int) bool {
	if s.Probability != nil {
		return s.Probability[i] > 0.5
	}
	return s.Score[i] > s.Cut
}

// decisions fills in what follows from the 2×2 table.
func (b *Binary) decisions(s Scores) {
	var right, rows [2]float64 // of others, of events
	for i, event := range s.Event {
		k := 0
		if event {
			k = 1
		}
		rows[k]++
		if s.positive(i) == event {
			right[k]++
		}
	}
	sensitivity, specificity := right[1]/rows[1], right[0]/rows[0]
	b.Accuracy = finite((right[0] + right[1]) / (rows[0] + rows[1]))
	b.Sensitivity, b.Specificity = finite(sensitivity), finite(specificity)
	b.BalancedAccuracy = finite((sensitivity + specificity) / 2)
}

// probabilities fills in what needs P(event): Brier = mean (p−y)², scaled
// 1 − Brier/(ȳ(1−ȳ)), log loss, calibration.
func (b *Binary) probabilities(p []float64, event []bool) {
	var brier, logLoss, events float64
	for i, q := range p {
		y := 0.0
		if event[i] {
			y = 1
		}
		events += y
		brier += (q - y) * (q - y)
		logLoss -= logProbability(q, event[i])
	}
	n := float64(len(p))
	rate := events / n
	b.Brier, b.LogLoss = finite(brier/n), finite(logLoss/n)
	b.ScaledBrier = finite(1 - brier/n/(rate*(1-rate)))
	if intercept, slope, ok := Calibration(p, event); ok {
		b.CalibrationIntercept, b.CalibrationSlope = finite(intercept), finite(slope)
	}
}

// logProbability returns log P of what happened.
func logProbability(p float64, event bool) float64 {
	p = within(p)
	if event {
		return math.Log(p)
	}
	return math.Log1p(-p)
}

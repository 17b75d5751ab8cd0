package task

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// BandReader converts scores of a model with an event to risk bands, and to probabilities if
// the link has them.
type BandReader struct {
	Link     fit.Link
	Interval loss.Interval // with cut-offs on the scale of the score
	Known    *stat.Known   // metrics of the same predictions for other boundaries; nil: none
}

// NewBandReader returns a reader for scores with a link.
func NewBandReader(l fit.Link, iv loss.Interval) BandReader {
	iv.Delta = l.Cuts(iv)
	return BandReader{Link: l, Interval: iv}
}

// BandResult holds the predictions for rows, and their evaluation.
type BandResult struct {
	Metrics  stat.Binary
	Strata   []stat.Stratum
	Band     []int     // per row
	Prob     []float64 // nil if the link has none
	Score    []float64
	Above    []bool // an event is predicted; nil where the score decides it
	Constant bool   // all rows have the same answer, except for their fold: no ranking
}

// Evaluate reads scores and compares them with outcomes. An event is predicted where its
// probability exceeds cut.
func (r BandReader) Evaluate(score []float64, event []bool, cut float64) BandResult {
	v := BandResult{Score: score, Band: make([]int, len(score))}
	if r.Link.Has() {
		v.Prob = make([]float64, len(score))
	}
	for i, f := range score {
		band, p := r.Link.Band(r.Interval, f)
		if v.Band[i] = band; v.Prob != nil {
			v.Prob[i] = p
		}
	}
	v.Strata = stat.Strata(r.Interval.Pi, v.Band, event)
	s := stat.Scores{Event: event, Score: score, Probability: v.Prob, Band: v.Band, Pi: r.Interval.Pi,
		Cut: r.Link.Cut(cut)}
	v.Metrics = r.Known.Classification(s)
	if v.Prob != nil && (cut != 0.5 || r.Link.Scale <= 0) {
		// For probabilities Classification uses the threshold ½ instead of cut.
		s.Probability = nil
		v.call(s)
	}
	return v
}

// call replaces the metrics that depend on predicted events by those of scores without
// probabilities.
func (v *BandResult) call(s stat.Scores) {
	called := stat.Decided(s)
	v.Metrics.Accuracy, v.Metrics.BalancedAccuracy = called.Accuracy, called.BalancedAccuracy
	v.Metrics.Sensitivity, v.Metrics.Specificity = called.Sensitivity, called.Specificity
}

// Place is Evaluate for rows with known bands and predicted events, whose cut-offs differ by
// fold.
func (r BandReader) Place(score []float64, band []int, above, event []bool) BandResult {
	v := BandResult{Score: score, Band: band, Above: above, Strata: stat.Strata(r.Interval.Pi, band, event)}
	v.Metrics = stat.Classification(stat.Scores{Event: event, Score: score, Band: band, Pi: r.Interval.Pi})
	call := make([]float64, len(score))
	for i, is := range above {
		if is {
			call[i] = 1
		}
	}
	v.call(stat.Scores{Event: event, Score: call, Cut: 0.5})
	return v
}

// Scores converts a result to the input of statistics. Rows that differ by their fold alone are
// tied.
func (r BandReader) Scores(v BandResult, event []bool) stat.Scores {
	score := v.Score
	if v.Constant {
		score = make([]float64, len(score))
	}
	return stat.Scores{Event: event, Score: score, Probability: v.Prob, Band: v.Band, Pi: r.Interval.Pi}
}

// WithoutRanking is the result of a constant model. Its AUC is ½: differences between the
// folds' intercepts rank no rows.
func (v BandResult) WithoutRanking() BandResult {
	v.Constant = true
	v.Metrics.Change(func(s stat.Statistic, value float64) *float64 {
		if s.Needs&stat.NeedPredictor != 0 {
			return nil
		}
		return &value
	})
	half := 0.5
	v.Metrics.AUC, v.Metrics.AUCLow, v.Metrics.AUCHigh = &half, nil, nil
	return v
}

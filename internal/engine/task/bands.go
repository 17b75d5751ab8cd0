package task

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// BandReader reads the scores of a model of an event: as bands of its risk, and as
// probabilities where the model's link has them.
type BandReader struct {
	Link     fit.Link
	Interval loss.Interval // with its cut-offs in the model's scores
}

// NewBandReader returns the reader of scores with a link.
func NewBandReader(l fit.Link, iv loss.Interval) BandReader {
	iv.Delta = l.Cuts(iv)
	return BandReader{l, iv}
}

// BandResult is what a model says of rows, and how well.
type BandResult struct {
	Metrics  stat.Binary
	Strata   []stat.Stratum
	Band     []int     // of each row
	Prob     []float64 // nil without a link
	Score    []float64
	Above    []bool // rows called events, where the score does not tell it; nil elsewhere
	Constant bool   // every row has the same answer but for its fold: no ranking
}

// Evaluate reads scores of rows and holds them against their outcomes; rows above the
// probability cut are called events, whatever the model.
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
	v.Metrics = stat.Classification(s)
	if v.Prob != nil && (cut != 0.5 || r.Link.Scale <= 0) {
		// With probabilities Classification calls events above ½, not above the cut.
		s.Probability = nil
		v.call(s)
	}
	return v
}

// call takes what depends on which rows are called events from scores without probabilities.
func (v *BandResult) call(s stat.Scores) {
	called := stat.Classification(s)
	v.Metrics.Accuracy, v.Metrics.BalancedAccuracy = called.Accuracy, called.BalancedAccuracy
	v.Metrics.Sensitivity, v.Metrics.Specificity = called.Sensitivity, called.Specificity
}

// Place is Evaluate for rows whose bands and calls are known: their cut-offs differ from row to row.
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

// Scores are the rows as statistics take them. Rows that differ by their fold alone tie.
func (r BandReader) Scores(v BandResult, event []bool) stat.Scores {
	score := v.Score
	if v.Constant {
		score = make([]float64, len(score))
	}
	return stat.Scores{Event: event, Score: score, Probability: v.Prob, Band: v.Band, Pi: r.Interval.Pi}
}

// WithoutRanking is the result of a constant: its AUC is ½, and small differences
// between the folds' intercepts rank nothing.
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

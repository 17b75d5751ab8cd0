package external

import (
	"slices"

	"taper/internal/engine/model"
	"taper/internal/engine/odds"
	"taper/internal/engine/stat"
)

// RecalibratedModel is the performance with risks recalibrated to logit P = a + b·logit p. a
// and b are estimated on the same rows, so it is apparent performance.
type RecalibratedModel struct {
	How         string           `json:"how"` // RecalibrateIntercept or RecalibrateSlope
	Intercept   float64          `json:"intercept"`
	Slope       float64          `json:"slope"`
	Performance stat.Performance `json:"performance"`
	Strata      []stat.Stratum   `json:"strata"`
}

// The ways of recalibration that a validation can fit.
const (
	RecalibrateIntercept = "intercept"
	RecalibrateSlope     = "slope"
)

// RecalibratedModel returns the performance after one kind of recalibration; nil if that could
// not be estimated.
func (e *Evaluation) RecalibratedModel(how string) *RecalibratedModel {
	if i := slices.IndexFunc(e.Recalibrated, func(m RecalibratedModel) bool { return m.How == how }); i >= 0 {
		return &e.Recalibrated[i]
	}
	return nil
}

// addRecalibrated evaluates recalibrated risks.
func (e *Evaluation) addRecalibrated(s stat.Scores, how string, a, b *float64) {
	if a == nil || b == nil || model.CheckRecalibration(*a, *b) != nil {
		return
	}
	moved := s // the ranking does not change
	moved.Probability, moved.Band = make([]float64, len(s.Probability)), make([]int, len(s.Probability))
	for i, p := range s.Probability {
		moved.Probability[i] = odds.Sigmoid(*a + *b*odds.Logit(p))
		for _, pi := range s.Pi {
			if moved.Probability[i] > pi {
				moved.Band[i]++
			}
		}
	}
	e.Recalibrated = append(e.Recalibrated, RecalibratedModel{How: how, Intercept: *a, Slope: *b,
		Performance: stat.Perform(moved), Strata: stat.Strata(s.Pi, moved.Band, s.Event)})
}

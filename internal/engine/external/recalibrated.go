package external

import (
	"slices"

	"taper/internal/engine/model"
	"taper/internal/engine/odds"
	"taper/internal/engine/stat"
)

// Moved is the model on the same rows with its risks moved to logit P = a + b ·
// logit p, the numbers fitted to these very rows: apparent.
type Moved struct {
	How         string           `json:"how"` // MovedIntercept or MovedBoth
	Intercept   float64          `json:"intercept"`
	Slope       float64          `json:"slope"`
	Performance stat.Performance `json:"performance"`
	Strata      []stat.Stratum   `json:"strata"`
}

// The ways of recalibration that a validation can fit.
const (
	MovedIntercept = "intercept"
	MovedBoth      = "slope"
)

// Movement returns what one of the ways came to; nil where it could not be
// fitted.
func (e *Evaluation) Movement(how string) *Moved {
	if i := slices.IndexFunc(e.Moved, func(m Moved) bool { return m.How == how }); i >= 0 {
		return &e.Moved[i]
	}
	return nil
}

// move judges the risks as recalibration would have them.
func (e *Evaluation) move(s stat.Scores, how string, a, b *float64) {
	if a == nil || b == nil || model.CheckMove(*a, *b) != nil {
		return
	}
	moved := s // its ranking stays
	moved.Probability, moved.Band = make([]float64, len(s.Probability)), make([]int, len(s.Probability))
	for i, p := range s.Probability {
		moved.Probability[i] = odds.Sigmoid(*a + *b*odds.Logit(p))
		for _, pi := range s.Pi {
			if moved.Probability[i] > pi {
				moved.Band[i]++
			}
		}
	}
	e.Moved = append(e.Moved, Moved{How: how, Intercept: *a, Slope: *b,
		Performance: stat.Perform(moved, stat.Draws{}), Strata: stat.Strata(s.Pi, moved.Band, s.Event)})
}

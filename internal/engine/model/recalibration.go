package model

import (
	"math"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Recalibrates reports whether the model can be recalibrated.
func (m *Model) Recalibrates() bool {
	return !m.Multiclass() && (m.Link == loss.LinkLogistic || m.Link == loss.LinkScaled) && len(m.Trees) == 0
}

// CheckRecalibration refuses an implausible intercept or slope.
func CheckRecalibration(a, b float64) error {
	switch {
	case math.IsNaN(a) || math.Abs(a) > 50:
		return usererr.BadField("intercept", "must be from −50 to 50")
	case !(b >= 0.01 && b <= 100):
		return usererr.BadField("slope", "must be from 0.01 to 100")
	}
	return nil
}

// LogitScale is the number of log odds per unit of the score, for the logistic link.
func (m *Model) LogitScale() float64 {
	if m.Link == loss.LinkScaled {
		return m.LinkScale
	}
	return 1
}

// Recalibrate returns the model with risks logit P = a + b·logit p, b > 0: its score becomes
// b·f + shift, with the same link and cut-offs.
func (m *Model) Recalibrate(a, b float64) (moved *Model, shift float64, err error) {
	switch {
	case m.Multiclass() || m.Link != loss.LinkLogistic && m.Link != loss.LinkScaled:
		return nil, 0, usererr.New(usererr.Invalid,
			"Only a model whose link is logistic can be recalibrated; this one’s link is %s.", LinkName(m.Link))
	case len(m.Trees) > 0:
		return nil, 0, usererr.New(usererr.Invalid, "A tree model has no intercept to recalibrate.")
	}
	if err := CheckRecalibration(a, b); err != nil {
		return nil, 0, err
	}
	shift = a / m.LogitScale()
	copied := *m
	for _, v := range []*[]float64{&copied.Weights, &copied.Coefficients} {
		*v = slices.Clone(*v)
		for i := range *v {
			(*v)[i] *= b
		}
	}
	copied.Intercept = b*m.Intercept + shift
	return &copied, shift, nil
}

package paper

import (
	"math"
	"strconv"

	"taper/internal/engine/loss"
	"taper/internal/engine/study"
)

// thresholdEtas are the thresholds between five ordered classes on one score.
var thresholdEtas = []float64{-3, -1, 1, 3}

// fathonyThresholds draws the losses of ordered classes against the score.
var fathonyThresholds = []study.Preset{{
	ID: "fathony-thresholds", Title: "Losses of ordered classes as functions of the score", Source: fathonySource,
	Figure: "Figure 5",
	Protocol: "Five ordered classes separated by thresholds at −3, −1, 1 and 3 on one score s: the adversarial " +
		"absolute " +
		"loss with thresholded features (AL-th), the hinge at all thresholds (AT) and at those next to the class (IT), and " +
		"the absolute error of the class that s falls in. Nothing is drawn at random.",
	Build: func(study.Input) (study.Plan, error) { return thresholdPlan(), nil },
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Score s", Of: "at"},
		Series: study.Axis{Title: "Loss", Of: "model"}, Panels: study.Axis{Title: "Class", Of: "data"},
		Metrics:  []study.Metric{{ID: "loss", Title: "Loss"}},
		Uprights: &study.Upright{Title: "the thresholds", At: map[string][]float64{"": thresholdEtas}}},
	NoNumbers: "The paper derives these losses and prints no number of them.",
	Notes: []study.Note{{Text: "AL-th averages the best sums of potentials at s − 1 and s + 1. While the thresholds " +
		"ascend it is an all-threshold loss, too: each costs nothing from 1 beyond it, half the hinge within 1, and the " +
		"distance on the wrong side."}, {Text: earlierPaper}},
}}

var thresholdLosses = []string{"AL-th", "AT", "IT", "Absolute error"}

func thresholdPlan() (p study.Plan) {
	for y := range len(thresholdEtas) + 1 {
		for _, name := range thresholdLosses {
			var keys []study.Key
			for i := -60; i <= 60; i++ {
				keys = append(keys, study.Key{Data: "class " + strconv.Itoa(y+1), Model: name, Metric: "loss", At: float64(i) / 10})
			}
			p.Units = append(p.Units, exact(keys[0].Data+" "+name, keys, func() []float64 {
				v := make([]float64, len(keys))
				for i, k := range keys {
					v[i] = thresholdLoss(name, y, k.At, thresholdEtas)
				}
				return v
			}))
		}
	}
	return p
}

// thresholdLoss returns the loss of class y, counted from 0, at a score.
func thresholdLoss(name string, y int, s float64, eta []float64) float64 {
	switch name {
	case "AL-th":
		return family("al-ordinal").Potential(family("al-ordinal").Defaults(), len(eta)+1).Value(y,
			thresholdPotentials(s, eta))
	case "AT":
		return family("all-threshold").Threshold(family("all-threshold").Defaults()).Value(y, s, eta)
	case "IT":
		return family("immediate-threshold").Threshold(family("immediate-threshold").Defaults()).Value(y, s, eta)
	}
	return math.Abs(float64(loss.Rank(s, eta) - y))
}

// thresholdPotentials are f_c = (c+1)·s + Σ_{l≥c} η_l (docs/math.md, section 7.6).
func thresholdPotentials(s float64, eta []float64) []float64 {
	f := make([]float64, len(eta)+1)
	for c := range f {
		f[c] = float64(c+1) * s
		for _, e := range eta[c:] {
			f[c] += e
		}
	}
	return f
}

// family returns one of the program's losses by its id.
func family(id string) loss.Family {
	f, known := loss.FamilyByID(id)
	if !known {
		panic("study: no loss " + id)
	}
	return f
}

package studyreport

import (
	"testing"

	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
)

// TestRobustness: the words come from the means of the cells, the worst
// model first, and what is not all is not called so.
func TestRobustness(t *testing.T) {
	spec := stored.RobustnessSpec(study.Smoke, 1)
	spec.Models = spec.Models[:3]
	var cells []study.Cell
	put := func(model int, noise, mean float64) {
		cells = append(cells, study.Cell{Key: study.Key{Model: study.Label(spec.Models[model]), Noise: noise, Metric: "accuracy"}, N: 2, Mean: &mean})
	}
	put(0, 0, 0.9)
	put(0, 0.2, 0.657)
	put(1, 0, 1)
	put(1, 0.2, 0.9996)
	if got := Robustness(spec, cells, 0.2); got[0] != "With 20\u00a0% of training labels flipped, logistic keeps 73\u00a0% of clean accuracy, two-temperature (t₁ = 0.1, t₂ = 1.12) 99.9\u00a0%." || got[1] != "" {
		t.Errorf("%q", got)
	}
	put(2, 0, 1)
	put(2, 0.2, 0.8)
	if got := Robustness(spec, cells, 0.2); got[1] != "α-loss (α = 4) 80\u00a0%." {
		t.Errorf("%q", got)
	}
	if got := Robustness(spec, cells, 0.3); got[0] != "" {
		t.Errorf("a rate without cells: %q", got)
	}
}

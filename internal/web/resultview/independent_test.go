package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
)

// TestIndependentRows: intervals of grouped rows are said to ignore the groups.
func TestIndependentRows(t *testing.T) {
	for groups, want := range map[int]bool{0: false, 12: true} {
		got := Bands{Result: &engine.Result{Flow: engine.Flow{Groups: groups}}}.HowEvaluated()
		if strings.Contains(got, "independent, also those of one group") != want {
			t.Errorf("%d groups: %q", groups, got)
		}
	}
}

// TestRecalibratedModel: the page of a recalibrated run's model has no verdict by the rows of the run it came from.
func TestRecalibratedModel(t *testing.T) {
	for _, recalibrated := range []bool{false, true} {
		r := &engine.Result{Boundaries: []float64{.5}, Strata: []stat.Stratum{{Upper: .5, N: 100, Events: 20}, {Lower: .5, Upper: 1, N: 100, Events: 70}}}
		if recalibrated {
			r.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
		}
		s := Bands{Result: r, Spec: runspec.Spec{Model: fit.Spec{Loss: "logistic"}}}
		if got := len(s.fitting()); (got == 0) != recalibrated {
			t.Errorf("recalibrated %v: %d figures", recalibrated, got)
		}
	}
}

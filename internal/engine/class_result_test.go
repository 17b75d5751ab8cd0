package engine

import (
	"testing"

	"taper/internal/engine/stat"
)

// TestMeanCostOfRepeats: the mean cost over repeats has no interval, although it equals that of the first repeat.
func TestMeanCostOfRepeats(t *testing.T) {
	m := stat.Multiclass(stat.Answers{Levels: []string{"a", "b"}, Label: []int{0, 0, 1, 1}, Predicted: []int{0, 1, 1, 0}})
	for validation, want := range map[string]bool{"5-fold cross-validation": true, "5-fold cross-validation, 3 repeats": false} {
		r := &Result{Validation: validation, Classes: &ClassResult{Costs: [][]float64{{0, 5}, {1, 0}}, Cost: 1.5,
			Metrics: ClassMetrics{Test: m}}}
		r.MarkMeans()
		if e := r.MeanCost(); *e.Value != 1.5 || (e.Low != nil) != want {
			t.Errorf("%s: %v, an interval %v", validation, *e.Value, e.Low != nil)
		}
	}
}

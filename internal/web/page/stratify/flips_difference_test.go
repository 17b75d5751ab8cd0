package stratify

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// TestFlipDifference: the difference is the AUC with noise minus that without, over the rows that both evaluate, paired
// by row and not by place; rows that are only scored do not count.
func TestFlipDifference(t *testing.T) {
	result := func(scores ...float64) *engine.Result {
		r := &engine.Result{Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}
		for i, v := range scores {
			row := engine.RowScore{Row: i, Split: "1", Outcome: []string{"no", "yes"}[i%2], Score: v}
			if i == len(scores)-1 {
				row.Split = "scored"
			}
			r.Rows = append(r.Rows, row)
		}
		return r
	}
	clean := result(-3, 2, -2, 3, -1, 1, 0, 2, -1, 4, 9)
	noisy := result(-1, 2, 3, 1, -1, 0, 1, 2, 0, -2, -9)
	event := []bool{false, true, false, true, false, true, false, true, false, true}
	d := stat.CompareAUC([]float64{-1, 2, 3, 1, -1, 0, 1, 2, 0, -2}, []float64{-3, 2, -2, 3, -1, 1, 0, 2, -1, 4}, event).Difference
	if *d.Value >= 0 {
		t.Fatal(*d.Value)
	}
	noisy.Rows[0], noisy.Rows[5] = noisy.Rows[5], noisy.Rows[0] // the order of the rows does not matter
	got := flipDifference([2]*engine.Result{clean, noisy})
	// Without noise every event scores above every other row: AUC 1. With it 14 of the 25 pairs count: 0.56.
	if want := "difference before rounding −0.440"; !strings.Contains(got, want) || !strings.Contains(got, "95\u00a0% CI −") {
		t.Errorf("%q, want %q; DeLong %v (%v to %v)", got, want, *d.Value, *d.Low, *d.High)
	}
	if same := flipDifference([2]*engine.Result{clean, clean}); same != "" {
		t.Errorf("equal scores: %q", same)
	}
}

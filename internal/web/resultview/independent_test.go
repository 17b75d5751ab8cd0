package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
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

package viz

import (
	"strings"
	"testing"

	"taper/internal/engine/stat"
)

// The curve starts and ends at the first and the last decision, however many there are, and the
// SVG stays small.
func TestRunningSVG(t *testing.T) {
	wrong := make([]bool, 5000)
	for i := range wrong {
		wrong[i] = i%4 == 0
	}
	rows := stat.RunningRate(wrong)
	kept := thinned(rows)
	if len(kept) != mostPoints || kept[0].Reviewed != 1 || kept[mostPoints-1].Reviewed != 5000 || kept[mostPoints-1].Errors != 1250 {
		t.Errorf("%d points from %+v to %+v", len(kept), kept[0], kept[len(kept)-1])
	}
	for _, n := range []int{1, 2, 7, 5000} {
		s := RunningSVG(rows[:n])
		checkSVG(t, "running", s)
		if (n > 1) != strings.Contains(s, `class="ln s1"`) || len(s) > 16_000 {
			t.Errorf("%d rows: %d bytes", n, len(s))
		}
	}
	// two decisions, the first an error: from 1 on the left to ½ on the right
	if s := RunningSVG(stat.RunningRate([]bool{true, false})); !strings.Contains(s, `class="ln s1" d="M180 8L312 61"`) {
		t.Error(s)
	}
}

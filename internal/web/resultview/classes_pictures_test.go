package resultview

import (
	"testing"

	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// TestFoundAt interpolates a curve with a vertical step, a slope and a horizontal part.
func TestFoundAt(t *testing.T) {
	curve := []stat.ROCPoint{{FPR: 0, TPR: 0}, {FPR: 0, TPR: .4}, {FPR: .1, TPR: .6}, {FPR: .1, TPR: .7}, {FPR: .5, TPR: .7}, {FPR: 1, TPR: 1}}
	for at, want := range map[float64]string{0: "40.0", .05: "50.0", .1: "70.0", .2: "70.0", .75: "85.0", 1: "100.0"} {
		if got := foundAt(curve, at); got != want {
			t.Errorf("at %v: %s, want %s", at, got, want)
		}
	}
	if got := foundAt(nil, .1); got != viz.None {
		t.Errorf("no curve: %q", got)
	}
}

package viz

import (
	"testing"

	"taper/internal/engine"
)

// TestSplineDate: a value of a column with times is shown at its own day, also in the evening.
func TestSplineDate(t *testing.T) {
	origin := 18262.0 // 2020-01-01
	if got := SplineValue(engine.SplineCurve{Origin: &origin}, .75); got != "2020-01-01" {
		t.Errorf("6 in the evening of 2020-01-01 is shown as %s", got)
	}
}

package report

import "testing"

// TestOnePoint: one point is no plural.
func TestOnePoint(t *testing.T) {
	if got := pointsText(1.2) + ", " + pointsText(0) + ", " + pointsText(12.6); got != "1 point, 0 points, 13 points" {
		t.Error(got)
	}
}

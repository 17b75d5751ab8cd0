package scoring

import "testing"

// TestBandsHold: the headline counts the bands that could be evaluated, and names the others.
func TestBandsHold(t *testing.T) {
	for _, c := range []struct {
		good, judged, few int
		want              string
	}{
		{0, 0, 3, "No band has enough rows for a verdict."},
		{1, 1, 2, "The one band with enough rows is inside or compatible with its limits; two bands have too few to judge."},
		{2, 2, 0, "Both bands with enough rows are inside or compatible with their limits."},
		{2, 2, 1, "Both bands with enough rows are inside or compatible with their limits; one band has too few to judge."},
		{3, 3, 0, "All three bands with enough rows are inside or compatible with their limits."},
		{1, 3, 0, "One of three bands with enough rows is inside or compatible with its limits."},
		{0, 2, 1, "None of two bands with enough rows is inside or compatible with its limits; one band has too few to judge."},
		{0, 1, 0, "The one band with enough rows is neither inside nor compatible with its limits."},
		{2, 3, 0, "Two of three bands with enough rows are inside or compatible with their limits."},
	} {
		if got := bandsHold(c.good, c.judged, c.few); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

package stat

import (
	"math"
	"testing"
)

// TestDifferenceVerdict: the interval settles the side of a difference, the direction
// of the statistic which side is better; without an interval there is no verdict. A sentence names the side.
func TestDifferenceVerdict(t *testing.T) {
	nan := math.NaN() // no end
	for _, c := range []struct {
		direction        Direction
		value, low, high float64
		want, words      string
	}{
		{HigherBetter, -.0098, -.0178, -.0017, Worse, "lower AUC"},
		{HigherBetter, .0098, .0017, .0178, Better, "higher AUC"},
		{LowerBetter, -.0098, -.0178, -.0017, Better, "lower AUC"},
		{LowerBetter, .0098, .0017, .0178, Worse, "higher AUC"},
		{HigherBetter, .01, -.001, .02, Unsettled, "no significant difference in AUC"},
		{LowerBetter, .01, -.001, .02, Unsettled, "no significant difference in AUC"},
		{HigherBetter, .01, 0, .02, Unsettled, "no significant difference in AUC"},
		{HigherBetter, -.01, -.02, 0, Unsettled, "no significant difference in AUC"},
		{LowerBetter, 0, 0, 0, Unsettled, "no significant difference in AUC"},
		{HigherBetter, .3, nan, nan, "", ""},
		{HigherBetter, .3, .1, nan, "", ""},
		{LowerBetter, 0, nan, nan, "", ""},
		{BestAtOne, .3, .1, .5, "", ""},
		{BestAtZero, .3, .1, .5, "", ""},
		{NoDirection, .3, .1, .5, "", ""},
	} {
		got := c.direction.Verdict(estimate(c.value, c.low, c.high))
		if got != c.want || c.direction.VerdictWords(got, "AUC") != c.words {
			t.Errorf("%s is better, %v (%v – %v): %q, want %q", c.direction, c.value, c.low, c.high, got, c.want)
		}
	}
}

// TestWithError: 1.96 standard errors to each side, no interval without one.
func TestWithError(t *testing.T) {
	d, se := -.02, .01
	e := WithError(&d, &se)
	if !(math.Abs(*e.Low+.0395996) <= 1e-6) || !(math.Abs(*e.High+.0004004) <= 1e-6) {
		t.Errorf("%v – %v", *e.Low, *e.High)
	}
	if e = WithError(&d, nil); e.Low != nil || *e.Value != d {
		t.Errorf("%+v", e)
	}
}

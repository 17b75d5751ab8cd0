package check

import (
	"math"
	"testing"

	"taper/internal/engine/prep"
)

func TestFar(t *testing.T) {
	for _, c := range []struct {
		v, low, high float64
		far          bool
	}{
		{100, 0, 100, false}, {-25, 0, 100, false}, {125, 0, 100, false}, {125.1, 0, 100, true}, {-25.1, 0, 100, true},
		{700, 0, 100, true}, {-5, -3, -1, true}, {-3.5, -3, -1, false}, {9, 5, 5, false}, {9, 0, 0, false}, {math.NaN(), 0, 1, false},
	} {
		if FarOutsideRange(c.v, c.low, c.high) != c.far {
			t.Errorf("%v of %v – %v: far is %v", c.v, c.low, c.high, !c.far)
		}
	}
}

func TestOutside(t *testing.T) {
	used := func(column string) bool { return column == "age" || column == "sex" }
	far := prep.Issue{Column: "age", Kind: prep.IssueRange, Value: 200, Low: 20, High: 90}
	near, idle, unseen := far, far, prep.Issue{Column: "sex", Kind: prep.IssueUnseen}
	near.Value, idle.Column = 95, "shoe"
	for _, c := range []struct {
		name   string
		doubts []prep.Issue
		want   int
	}{
		{"none", nil, 0}, {"near", []prep.Issue{near}, 0}, {"far", []prep.Issue{far}, 1}, {"a column without weight", []prep.Issue{idle}, 0},
		{"unseen", []prep.Issue{unseen}, 1}, {"both", []prep.Issue{far, near, unseen}, 2},
		{"missing, odd, absent, unnamed", []prep.Issue{{Column: "age", Kind: prep.IssueMissing}, {Column: "age", Kind: prep.IssueNotANumber},
			{Column: "age", Kind: prep.IssueAbsent}, {Column: "sex", Kind: prep.IssueUnnamed}}, 0},
	} {
		if got := IssuesOutsideData(c.doubts, used); len(got) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

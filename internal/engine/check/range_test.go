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
		if Far(c.v, c.low, c.high) != c.far {
			t.Errorf("%v of %v – %v: far is %v", c.v, c.low, c.high, !c.far)
		}
	}
}

func TestOutside(t *testing.T) {
	used := func(column string) bool { return column == "age" || column == "sex" }
	far := prep.Doubt{Column: "age", Kind: prep.DoubtRange, Value: 200, Low: 20, High: 90}
	near, idle, unseen := far, far, prep.Doubt{Column: "sex", Kind: prep.DoubtUnseen}
	near.Value, idle.Column = 95, "shoe"
	for _, c := range []struct {
		name   string
		doubts []prep.Doubt
		want   int
	}{
		{"none", nil, 0}, {"near", []prep.Doubt{near}, 0}, {"far", []prep.Doubt{far}, 1}, {"a column without weight", []prep.Doubt{idle}, 0},
		{"unseen", []prep.Doubt{unseen}, 1}, {"both", []prep.Doubt{far, near, unseen}, 2},
		{"missing, odd, absent, unnamed", []prep.Doubt{{Column: "age", Kind: prep.DoubtMissing}, {Column: "age", Kind: prep.DoubtOdd},
			{Column: "age", Kind: prep.DoubtAbsent}, {Column: "sex", Kind: prep.DoubtUnnamed}}, 0},
	} {
		if got := Outside(c.doubts, used); len(got) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

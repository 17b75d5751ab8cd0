package multiclass

import (
	"context"
	"math/rand/v2"
	"testing"
)

// Newton steps count as iterations and obey their limit; the bound certified when they stop is
// valid for the optimum of a complete fit.
func TestPatience(t *testing.T) {
	x, y := fewRows(rand.New(rand.NewPCG(3, 9)), 150, 3, 4)
	for _, c := range trained {
		s := specOf(t, c.id, c.features, 4, 1e-4)
		if c.id == "al-cost" {
			s.Classes = 3
			s.Params = s.Family.Defaults()
			y = thirds(y)
		}
		best, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-7})
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{2, 6, 9, 300} {
			fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-3, Patience: 4, Brief: true, MaxIter: most})
			if err != nil {
				t.Fatal(err)
			}
			if fit.Iterations > most {
				t.Errorf("%s %s: %d iterations of %d", c.id, c.features, fit.Iterations, most)
			}
			if low := fit.Objective * (1 - *fit.Gap); low > best.Objective*(1+1e-9) || fit.Objective < best.Objective*(1-1e-6) {
				t.Errorf("%s %s after %d: proves %v to %v, the minimum is %v", c.id, c.features, most, low, fit.Objective, best.Objective)
			}
			if most == 300 && *fit.Gap > 1e-3 {
				t.Errorf("%s %s: gap %v", c.id, c.features, *fit.Gap)
			}
		}
		_, y = fewRows(rand.New(rand.NewPCG(3, 9)), 150, 3, 4)
	}
}

func thirds(y []int) []int {
	all := make([]int, len(y))
	for i, c := range y {
		all[i] = min(c, 2)
	}
	return all
}

// TestEven: one step along g changes f by the same multiple of g for every g, exactly where the head says so.
func TestEven(t *testing.T) {
	for name, c := range map[string]struct {
		head head
		even bool
	}{
		"classes": {perClass(4, true), true}, "without constants": {perClass(3, false), true}, "two classes": {single(), true},
		"sums of zero": {sumZero(4, true), false}, "ordered": {ordinal(4), false}, "thresholds": {cuts(4, false), false},
	} {
		if c.head.even() != c.even {
			t.Errorf("%s: even is %v", name, !c.even)
		}
	}
}

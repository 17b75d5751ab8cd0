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
			fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-3, Patience: 4, MaxIter: most})
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

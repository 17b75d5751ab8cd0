package study

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/tune"
)

// TestGridEnds: a study of separated classes tells in how many fits λ was chosen at the lower
// end of its grid, of the model that is tuned alone; units that a version before kept have the
// metric alone, and open as they did.
func TestGridEnds(t *testing.T) {
	s := Spec{Seed: 3, Dataset: Source{Generator: "gmm", Rows: 200, Params: map[string]float64{"mean": 5, "prevalence": .5}},
		Replicates: 2,
		Models:     []fit.Spec{{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1}}, {Kind: "linear", Loss: "logistic"}}}
	p := mustPlan(t, s)
	done := mustRun(t, p, nil)
	cells := Summarise(p, done)
	last := cells[len(cells)-1]
	if len(cells) != 3 || last.Metric != "l2_grid_end" || last.Model != "Logistic" || *last.Mean != -1 {
		t.Fatalf("%d cells, the last %+v", len(cells), last)
	}
	want := []string{"Logistic: λ was chosen at the lower end of its grid in 2 of 2 fits. A smaller λ may do better: " +
		"add the model with λ given as a number."}
	if got := Warnings(cells); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	before := Values{}
	for id, v := range done {
		before[id] = v[:2]
	}
	for _, u := range p.Units {
		if !before.Has(u) {
			t.Errorf("%s of a version before is not taken", u.ID)
		}
		if (Values{u.ID: done[u.ID][:1]}).Has(u) {
			t.Errorf("%s is taken with one value for two models", u.ID)
		}
	}
	if got := Summarise(p, before); len(got) != 2 || *got[1].Mean != *cells[1].Mean || Warnings(got) != nil {
		t.Errorf("a version before: %+v, %q", got, Warnings(got))
	}
}

// TestGridEndOf: −1 is the lower end, 1 the upper, of the parameter that the edge is of, and
// the sentences count both.
func TestGridEndOf(t *testing.T) {
	low, high := tune.Edge{}, tune.Edge{Gamma: true, High: true}
	for _, c := range []struct {
		name      string
		edges     []tune.Edge
		l2, gamma float64
	}{{"inside", nil, 0, 0}, {"the least λ", []tune.Edge{low}, -1, 0}, {"both", []tune.Edge{low, high}, -1, 1}} {
		if l2, gamma := endOfL2.of(c.edges), endOfGamma.of(c.edges); l2 != c.l2 || gamma != c.gamma {
			t.Errorf("%s: %v, %v", c.name, l2, gamma)
		}
	}
	one := 1.
	none, less := 0., -1.
	cells := []Cell{{Key: Key{Model: "M", Metric: "gamma_grid_end"}, Values: []*float64{&one, &none, &less}},
		{Key: Key{Model: "M", Noise: .1, Metric: "gamma_grid_end"}, Values: []*float64{&one, &none, &none}}}
	got := Warnings(cells)
	if len(got) != 2 || !strings.Contains(got[0], "γ was chosen at the lower end of its grid in 1 of 6 fits. A smaller") ||
		!strings.Contains(got[1], "at the upper end of its grid in 2 of 6 fits. A larger γ") {
		t.Errorf("%q", got)
	}
}

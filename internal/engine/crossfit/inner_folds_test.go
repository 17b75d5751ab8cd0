package crossfit

import (
	"context"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table/tabletest"
)

// TestInnerFoldsKeepGroups: no ward stands on both sides of a fold that
// chooses λ, and a ward that is judged outside takes no part in it.
func TestInnerFoldsKeepGroups(t *testing.T) {
	records := tabletest.Clinic(400, 4)
	s := clinicSpec()
	s.Group, s.Model.L2 = "ward", fit.L2{Mode: "cv"}
	p, err := New(context.Background(), tabletest.FromRecords(records), s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Baseline(&p.Spec, fit.L2{Mode: "cv"}, "")
	if err != nil {
		t.Fatal(err)
	}
	pl, err := p.newPlan(context.Background(), c, "")
	if err != nil {
		t.Fatal(err)
	}
	wards := func(at []int) map[int]bool {
		seen := map[int]bool{}
		for _, i := range at {
			seen[p.Cohort.Group[i]] = true
		}
		return seen
	}
	if len(pl.curves) != 6 {
		t.Fatalf("%d curves", len(pl.curves))
	}
	for k, outer := range p.Parts[0] {
		judged := wards(outer.Test())
		for _, inner := range pl.of[0][k].parts {
			trains := wards(inner.Train())
			for g := range wards(inner.Test()) {
				if trains[g] || judged[g] {
					t.Fatalf("ward %d of fold %d trains and is judged", g, k+1)
				}
			}
			for g := range trains {
				if judged[g] {
					t.Fatalf("ward %d is judged in fold %d and helps to choose its λ", g, k+1)
				}
			}
		}
	}
}

// TestBytes: the table, and of each of the folds its training and its test rows with the terms of age,
// of the marker and its gaps, and of two and three levels with one more each, ten; where age is bent
// eleven, twice.
func TestBytes(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(100, 4))
	for knots, of := range map[int]struct{ times, terms int }{0: {1, 10}, 3: {2, 11}} {
		s := clinicSpec()
		if knots > 0 {
			s.Splines = map[string]int{"age": knots}
		}
		p, err := New(context.Background(), tab, s)
		if err != nil {
			t.Fatal(err)
		}
		designs := 0
		for _, q := range append([]*Part{p.Final}, p.Parts[0]...) {
			if q.keep {
				designs++
			}
		}
		const rows = 100
		if want := 8 * (rows*len(tab.Columns) + of.times*designs*rows*of.terms + len(p.extra)); p.Bytes() != want || designs < 5 {
			t.Errorf("%d knots: %d bytes for %d designs, by hand %d", knots, p.Bytes(), designs, want)
		}
	}
}

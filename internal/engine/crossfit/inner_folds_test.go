package crossfit

import (
	"context"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table/tabletest"
)

// TestInnerFoldsKeepGroups: no ward is on both sides of an inner fold, and no evaluated ward
// takes part in the choice of λ.
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

// TestBytes: the estimate covers the table and the designs of training and test rows, twice
// with splines, and exceeds them by less than a factor of two.
func TestBytes(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(100, 4))
	for knots, times := range map[int]int{0: 1, 3: 2} {
		s := clinicSpec()
		if knots > 0 {
			s.Splines = map[string]int{"age": knots}
		}
		p, err := New(context.Background(), tab, s)
		if err != nil {
			t.Fatal(err)
		}
		designs, values := 0, 0
		for _, q := range append([]*Part{p.Final}, p.Parts[0]...) {
			d, err := p.DesignOf(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if q.keep {
				designs, values = designs+1, values+len(d.Data().X.Data)+len(d.Held.Data)
			}
		}
		table, held := 8*100*len(tab.Columns), 8*times*values
		if got := p.Bytes() - table - 8*len(p.extra); got < held || 10*got > 18*held || designs < 5 {
			t.Errorf("%d knots: %d bytes for %d designs of %d", knots, got, designs, held)
		}
	}
}

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

package engine

import (
	"context"
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table/tabletest"
)

// TestRestarts: fifty starts end no lower than the fit that was kept, and some
// at it; a convex loss is refused.
func TestRestarts(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(250, 14))
	for _, m := range []fit.Spec{{Loss: "alpha", Params: map[string]any{"alpha": 4.0}}, {Loss: "t-logistic"}} {
		s := clinicSpec()
		m.L2 = fit.L2{Value: 0.02}
		s.Model = m
		r := mustFit(t, tab, s)
		starts, err := Restarts(context.Background(), tab, s, r.L2, 50)
		if err != nil || len(starts) != 50 {
			t.Fatalf("%s: %d starts, %v", r.Method, len(starts), err)
		}
		least := math.Inf(1)
		for _, v := range starts {
			least = min(least, v.Objective)
		}
		if !(math.Abs(least-r.Objective) <= 1e-5*r.Objective) {
			t.Errorf("%s: the best of fifty starts ends at %v, the run at %v", r.Method, least, r.Objective)
		}
	}
	s := clinicSpec()
	s.Model.Loss = "logistic"
	if _, err := Restarts(context.Background(), tab, s, 0.1, 3); err == nil {
		t.Error("logistic regression was started many times")
	}
}

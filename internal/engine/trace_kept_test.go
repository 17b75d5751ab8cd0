package engine

import (
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table/tabletest"
)

// TestTraceIsOfTheKeptStart: the iterations shown are those of the start whose numbers stand beside them, also where
// another start ends lower by a rounding error.
func TestTraceIsOfTheKeptStart(t *testing.T) {
	tbl := tabletest.FromRecords(tabletest.Clinic(300, 20))
	for _, m := range []fit.Spec{{Loss: "tempered", Params: map[string]any{"t1": .8, "t2": 1.2}}, {Loss: "tempered"},
		{Loss: "alpha", Params: map[string]any{"alpha": 4.}}, {Loss: "alpha", Params: map[string]any{"alpha": 2.}}} {
		s := clinicSpec()
		s.Model = m
		s.Model.L2 = fit.L2{Value: 0.01}
		r := mustFit(t, tbl, s)
		last := r.Trace[len(r.Trace)-1]
		for _, start := range r.Starts {
			if start.Kept && (last.Iteration != start.Iterations || *last.GradientNorm != start.GradientNorm) {
				t.Errorf("%s %v: the trace ends with step %d at a gradient of %g; %q, which was kept, took %d to %g", m.Loss, m.Params,
					last.Iteration, *last.GradientNorm, start.Start, start.Iterations, start.GradientNorm)
			}
		}
	}
}

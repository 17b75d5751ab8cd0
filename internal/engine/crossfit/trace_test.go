package crossfit

import (
	"testing"

	"taper/internal/engine/fit/linear"
)

// TestTracing: at most the stated points, first and last among them, of the
// start that ended lowest.
func TestTracing(t *testing.T) {
	tr := &Trace{}
	for start, end := range map[string]float64{"zero": 3, "random 1": 2.5} {
		for i := range 1001 {
			tr.add(linear.Step{Start: start, Iteration: i, Objective: end + float64(1000-i)})
			tr.add(linear.Step{Start: start, Stage: "logistic", Iteration: i})
		}
	}
	p := tr.Points()
	if len(p) > MostTrace || len(p) < MostTrace/2 || p[0].Iteration != 0 || p[len(p)-1] != (TracePoint{Iteration: 1000, Objective: 2.5}) {
		t.Errorf("%d points, first %+v, last %+v", len(p), p[0], p[len(p)-1])
	}
}

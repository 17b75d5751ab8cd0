package linear

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"taper/internal/engine/loss"
)

// traced runs a fit with and without a trace: results are bit-identical, and the steps share no
// memory.
func traced(t *testing.T, name string, fit func(trace func(Step)) any) []Step {
	t.Helper()
	var steps []Step
	with := fit(func(s Step) { steps = append(steps, s) })
	if without := fit(nil); !reflect.DeepEqual(with, without) {
		t.Errorf("%s: a trace changes the fit: %+v, without %+v", name, with, without)
	}
	if len(steps) < 3 {
		t.Fatalf("%s: %d steps", name, len(steps))
	}
	for i, s := range steps[1:] {
		if &s.W[0] == &steps[i].W[0] {
			t.Fatalf("%s: steps share memory", name)
		}
	}
	return steps
}

// last compares the last step of a start with the fit returned for it.
func last(t *testing.T, name string, steps []Step, start string, fit *Linear) {
	t.Helper()
	var end Step
	iteration := -1
	for _, s := range steps {
		if s.Start != start {
			continue
		}
		if s.Iteration < iteration {
			t.Errorf("%s: iteration %d after %d", name, s.Iteration, iteration)
		}
		end, iteration = s, s.Iteration
	}
	if iteration < 0 {
		t.Fatalf("%s: no step from %q", name, start)
	}
	for j, w := range append(slices.Clone(end.W), end.B) {
		if !(math.Abs(w-fit.pack()[j]) <= 1e-6*(1+math.Abs(w))) {
			t.Errorf("%s: ended at %v, %v; fit %v, %v", name, end.W, end.B, fit.W, fit.B)
			break
		}
	}
	if !(math.Abs(end.Objective-fit.Objective) <= 1e-6*(1+math.Abs(fit.Objective))) {
		t.Errorf("%s: ended at objective %v, fit %v", name, end.Objective, fit.Objective)
	}
	switch {
	case fit.Gap != nil && (end.Gap == nil || *end.Gap < 0):
		t.Errorf("%s: gap %v", name, end.Gap)
	case fit.Gap == nil && (end.GradientNorm == nil || !(math.Abs(*end.GradientNorm-*fit.GradientNorm) <= 1e-6)):
		t.Errorf("%s: gradient %v, fit %v", name, end.GradientNorm, *fit.GradientNorm)
	}
}

func TestTraceMargin(t *testing.T) {
	x, y := noisyRows(31, 120, 3)
	for name, l := range trained(t) {
		var fit *Linear
		var reports []StartReport
		steps := traced(t, name, func(trace func(Step)) any {
			fit, reports = mustMargin(t, x, y, nil, l, .05, MarginOptions{Trace: trace, Path: Soften("alpha", loss.Values{"alpha": {Number: 2}})})
			return fit
		})
		kept := reports[slices.IndexFunc(reports, func(r StartReport) bool { return r.Kept })].Start
		if fit.Gap != nil {
			kept = "" // a solver with a single start
		}
		if name == "ramp" {
			continue // its objective is that of the last smoothing
		}
		last(t, name, steps, kept, fit)
		for _, s := range steps {
			if want := marginObjective(x, y, nil, l, .05, &Linear{W: s.W, B: s.B}); s.Stage == "" && !(math.Abs(want-s.Objective) <= 1e-11*(1+want)) {
				t.Errorf("%s: %s %d has the objective %v, recomputed %v", name, s.Start, s.Iteration, s.Objective, want)
			}
		}
	}
}

func TestTraceLogisticAndInterval(t *testing.T) {
	x, y := noisyRows(32, 90, 4)
	var fit *Linear
	steps := traced(t, "logistic", func(trace func(Step)) any {
		fit = mustLogistic(t, x, y, nil, .05, LogisticOptions{Trace: trace})
		return fit
	})
	last(t, "logistic", steps, "", fit)
	wide, labels := noisyRows(33, 12, 20)
	for _, c := range []struct {
		x      Matrix
		y      []float64
		solver string
	}{{x, y, SolverNewton}, {wide, labels, SolverNewton}, {x, y, SolverSubgradient}} {
		steps := traced(t, c.solver, func(trace func(Step)) any {
			var err error
			fit, err = Interval(context.Background(), c.x, c.y, nil, quartiles, .05, IntervalOptions{Solver: c.solver, Trace: trace})
			if err != nil {
				t.Fatal(err)
			}
			return fit
		})
		last(t, c.solver, steps, "", fit)
	}
}

// TestTraceT: the direct solver traces F, the multiplicative one its alternating steps, with ξ
// ∝ 1/z and Π ξ = 1.
func TestTraceT(t *testing.T) {
	x, y := noisyRows(34, 80, 3)
	for _, solver := range []string{SolverDirect, SolverCMP} {
		var fit *TFit
		steps := traced(t, solver, func(trace func(Step)) any {
			fit = mustT(t, x, y, nil, 1.6, .5, TOptions{Solver: solver, Random: -1, Trace: trace})
			return fit
		})
		kept := fit.Starts[slices.IndexFunc(fit.Starts, func(r StartReport) bool { return r.Kept })].Start
		last(t, solver, steps, kept, &fit.Linear)
		for i, s := range steps {
			if solver == SolverDirect {
				continue
			}
			if want := [2]string{PhaseXi, PhaseTheta}[i%2]; s.Phase != want || s.Iteration != (i+1)/2 {
				t.Errorf("step %d: %s of round %d", i, s.Phase, s.Iteration)
			}
			sum := 0.0
			for _, l := range append(slices.Clone(s.LogXi), s.LogXiPrior...) {
				sum += l
			}
			if len(s.LogXi) != 80 || len(s.LogXiPrior) != 3 || !(math.Abs(sum) <= 1e-9) {
				t.Errorf("step %d: Σ log ξ = %v", i, sum)
			}
			if i > 0 && s.Objective > steps[i-1].Objective+1e-8 {
				t.Errorf("step %d: F rose from %v to %v", i, steps[i-1].Objective, s.Objective)
			}
		}
	}
}

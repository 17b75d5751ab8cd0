package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table/tabletest"
)

// ringed is a clinic whose outcome depends on the distance of two numbers from
// the middle: no line parts it.
func ringed(n int) [][]string {
	records := tabletest.Clinic(n, 5)
	for i, row := range records[1:] {
		a, b := 2.4*math.Sin(float64(3*i+1)), 2.1*math.Cos(float64(7*i*i+2))
		row[0], row[1] = number3(a), number3(b)
		if row[5] = "alive"; a*a+b*b > 3.4 {
			row[5] = "died"
		}
	}
	return records
}

func number3(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// TestKernelRun: a kernel run of each task parts what no line does, says which
// γ and λ it took, and holds its rows to the model file.
func TestKernelRun(t *testing.T) {
	tab := tabletest.FromRecords(ringed(240))
	for _, m := range []fit.Spec{
		{Kind: "kernel", Tuning: runspec.TuningSet},
		{Kind: "kernel", Loss: "logistic", Tuning: runspec.TuningSame},
		{Kind: "kernel", Loss: "hinge", Kernel: &fit.Kernel{Name: "poly", Degree: 2}, Tuning: runspec.TuningSame},
		{Kind: "kernel", Loss: "logistic", L2: fit.L2{Value: 0.001}},
	} {
		s := clinicSpec()
		s.Model, s.Predictors, s.Boundaries = m, []string{"age", "marker"}, nil
		if s.Task = "binary"; m.Loss == "" {
			s.Task = "interval"
		}
		r := mustFit(t, tab, s)
		if r.Kernel == nil || r.Kernel.Gamma == nil || r.Kernel.Support < 5 || r.Kernel.Rows != 240 || r.Kernel.Landmarks != 0 || r.Coefficients != nil {
			t.Fatalf("%s: %+v", r.Method, r.Kernel)
		}
		if auc := *r.Metrics.Test.AUC; auc < 0.97 || *r.Metrics.Baselines["logistic"].AUC > 0.8 {
			t.Errorf("%s: AUC %v, logistic %v", r.Method, auc, *r.Metrics.Baselines["logistic"].AUC)
		}
		if !strings.Contains(r.Method, "kernel") || len(r.FoldGamma) != 5 || len(r.Trace) < 2 {
			t.Errorf("%s: γ of the folds %v, trace of %d points", r.Method, r.FoldGamma, len(r.Trace))
		}
		if last := r.Trace[len(r.Trace)-1]; !(math.Abs(last.Objective-r.Objective) <= 1e-9*r.Objective) {
			t.Errorf("%s: the trace ends at %v, the fit at %v", r.Method, last.Objective, r.Objective)
		}
	}
}

// TestTwoStages: the grids are those of Fathony et al. 2018, the second about the best of
// the first, and the choice is the lowest of all.
func TestTwoStages(t *testing.T) {
	s := clinicSpec()
	s.Task, s.Model, s.Boundaries = "binary", fit.Spec{Kind: "kernel", Loss: "logistic", Tuning: runspec.TuningSame}, nil
	r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(150, 6)), s)
	if len(r.Trials) != 49 {
		t.Fatalf("%d trials", len(r.Trials))
	}
	best := r.Trials[0]
	for _, v := range r.Trials {
		if v.Mean < best.Mean {
			best = v
		}
		if e := math.Log2(v.L2 * 128); e != math.Round(e) || e < -14 || e > 2 {
			t.Errorf("λ = %v is C = 2^%v", v.L2, -e)
		}
	}
	if *r.Kernel.Gamma != *best.Gamma || r.L2 != best.L2 || !slices.ContainsFunc(r.Tuning, func(v crossfit.TuningPoint) bool { return v.L2 == r.L2 }) {
		t.Errorf("γ = %v, λ = %v; the lowest trial is %v, %v", *r.Kernel.Gamma, r.L2, *best.Gamma, best.L2)
	}
	coarse := map[float64]bool{}
	for _, v := range r.Trials {
		coarse[*v.Gamma] = true
	}
	for _, e := range []int{-12, -9, -6, -3, 0} {
		if !coarse[math.Ldexp(1, e)] {
			t.Errorf("γ = 2^%d was not tried", e)
		}
	}
}

// TestKernelRepeats: the same bits on one core and on two, with another spec
// run before.
func TestKernelRepeats(t *testing.T) {
	tab := tabletest.FromRecords(ringed(120))
	s := clinicSpec()
	s.Model = fit.Spec{Kind: "kernel", Tuning: runspec.TuningSame}
	a, b := mustFit(t, tab, s), mustFit(t, tab, s)
	if a.Objective != b.Objective || *a.Kernel.Gamma != *b.Kernel.Gamma || !slices.EqualFunc(a.Rows, b.Rows, func(x, y RowScore) bool { return x.Score == y.Score }) {
		t.Error("two runs of one spec differ")
	}
}

// TestKernelCancel: a cancelled run ends at once.
func TestKernelCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(150*time.Millisecond, cancel)
	s := clinicSpec()
	s.Model = fit.Spec{Kind: "kernel"}
	_, err := Fit(ctx, tabletest.FromRecords(tabletest.Clinic(900, 3)), s, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

// TestKernelNystrom: many rows of a smooth loss take landmarks, and the result
// says so.
func TestKernelNystrom(t *testing.T) {
	s := clinicSpec()
	s.Model = fit.Spec{Kind: "kernel", Loss: "logistic", L2: fit.L2{Value: 0.01}, Kernel: &fit.Kernel{Gamma: 0.05}}
	s.Validation.Kind = "none"
	r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(fit.ExactSmooth+100, 3)), s)
	if r.Kernel.Landmarks == 0 || !warned(r, WarnKernel) || !strings.Contains(r.Kernel.nystrom(), "1100 rows: Nyström with") {
		t.Errorf("%+v: %q", r.Kernel, r.Kernel.nystrom())
	}
}

func TestKernelFields(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(80, 3))
	for field, change := range map[string]func(*runspec.Spec){
		"model.loss":          func(s *runspec.Spec) { s.Model.Loss = "t-logistic" },
		"model.kernel.name":   func(s *runspec.Spec) { s.Model.Kernel.Name = "cosine" },
		"model.kernel.gamma":  func(s *runspec.Spec) { s.Model.Kernel.Gamma = -1.0 },
		"model.kernel.degree": func(s *runspec.Spec) { s.Model.Kernel.Degree = 21 },
		"model.solver":        func(s *runspec.Spec) { s.Model.Solver = "newton" },
		"model.tuning":        func(s *runspec.Spec) { s.Model.Tuning, s.Model.L2.Mode = runspec.TuningSet, "cv-1se" },
	} {
		s := clinicSpec()
		s.Model = fit.Spec{Kind: "kernel", Loss: "interval", Kernel: &fit.Kernel{Name: "rbf", Gamma: "cv"}}
		change(&s)
		if got := fields(t, s.Validate(tab)); !slices.Contains(got, field) {
			t.Errorf("%s: refused at %q", field, got)
		}
	}
	s := clinicSpec()
	s.Model = fit.Spec{Kind: "kernel", Loss: "interval", Kernel: &fit.Kernel{Name: "rbf", Gamma: true}}
	if got := fields(t, s.Validate(tab)); !slices.Contains(got, "model.kernel.gamma") {
		t.Errorf("γ = true: refused at %q", got)
	}
}

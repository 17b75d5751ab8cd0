package engine

import (
	"reflect"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table/tabletest"
)

// straightOf is the row of plain regression beside a run.
func straightOf(t *testing.T, r *Result) Beside {
	t.Helper()
	for _, b := range r.Beside {
		if b.ID == "logistic" {
			return b
		}
	}
	t.Fatalf("%s: nothing but %d rows beside it", r.Method, len(r.Beside))
	return Beside{}
}

// Beside a model with splines stands the plain logistic regression that is a
// run of its own without them, to the bit, λ and noise included: beside logistic
// regression with curves, too.
func TestStraightBesideCurves(t *testing.T) {
	tbl := tabletest.FromRecords(valley())
	line := valleySpec(0)
	line.Validation = runspec.Validation{Kind: "cv", Folds: 4, Repeats: 2}
	for name, change := range map[string]func(*runspec.Spec){
		"λ given": func(s *runspec.Spec) { s.Model.L2 = fit.L2{Value: 1e-3} },
		"λ tuned": func(s *runspec.Spec) {
			s.Model.L2 = fit.L2{Mode: "cv"}
			s.Validation = runspec.Validation{Kind: "cv", Folds: 3}
		},
		"same folds": func(s *runspec.Spec) { s.Model.L2, s.Model.Tuning = fit.L2{Mode: "cv"}, runspec.TuningSame },
		"held out": func(s *runspec.Spec) {
			s.Model.L2 = fit.L2{Value: 1e-2}
			s.Validation = runspec.Validation{Kind: "split", Test: 0.3}
		},
		"labels spoilt": func(s *runspec.Spec) {
			s.Model.L2 = fit.L2{Value: 1e-2}
			s.Noise = runspec.Noise{Kind: "random", Rate: 0.1}
		},
	} {
		alone := line
		change(&alone)
		want := mustFit(t, tbl, alone)
		for _, loss := range []string{"logistic", "alpha"} {
			s := alone
			s.Model.Loss, s.Splines = loss, map[string]int{"x": 4}
			r := mustFit(t, tbl, s)
			b := straightOf(t, r)
			if b.Title != "Logistic, thresholded" || !reflect.DeepEqual(b.Metrics, want.Metrics.Test) || *b.L2 != want.L2 {
				t.Errorf("%s, %s: beside it %s with λ %v, log-loss %v; alone λ %v, %v", name, loss, b.Title, *b.L2, *b.Metrics.LogLoss, want.L2, *want.Metrics.Test.LogLoss)
			}
			if !reflect.DeepEqual(r.Metrics.Baselines["logistic"], want.Metrics.Test) {
				t.Errorf("%s, %s: the baseline is another", name, loss)
			}
			if c := r.Clinical; c.AUC == nil || c.Paired == nil || c.Reclassified == nil {
				t.Errorf("%s, %s: nothing is paired with plain logistic regression", name, loss)
			}
			if loss == "logistic" && (r.Method != "Logistic with curves" || r.Beside[0].Title != r.Method || *r.Metrics.Test.LogLoss >= *want.Metrics.Test.LogLoss) {
				t.Errorf("%s: %s, log-loss %v, straight %v", name, r.Method, *r.Metrics.Test.LogLoss, *want.Metrics.Test.LogLoss)
			}
		}
		if want.Method != "Logistic, thresholded" || len(want.Beside) != 2 {
			t.Errorf("%s: plain logistic regression is %s with %d rows", name, want.Method, len(want.Beside))
		}
	}
}

// Several classes: plain softmax regression beside one with curves.
func TestStraightBesideSeveral(t *testing.T) {
	records := tabletest.Clinic(240, 9)
	for i := 1; i < len(records); i++ {
		if i%3 == 0 {
			records[i][5] = "moved"
		}
	}
	tbl := tabletest.FromRecords(records)
	s := clinicSpec()
	s.Task, s.Positive, s.Boundaries = "multiclass", nil, nil
	s.Model, s.Validation = fit.Spec{Loss: "softmax", L2: fit.L2{Value: 0.01}}, runspec.Validation{Kind: "cv", Folds: 3}
	want := mustFit(t, tbl, s)
	s.Splines = map[string]int{"age": 4}
	r := mustFit(t, tbl, s)
	if len(r.Classes.Beside) != 3 || r.Classes.Beside[1].Title != "Softmax regression" || !reflect.DeepEqual(r.Classes.Beside[1].Metrics, want.Classes.Metrics.Test) {
		t.Errorf("beside it %+v", r.Classes.Beside)
	}
	if r.Method != "Softmax with curves" || want.Method != "Softmax" || len(want.Classes.Beside) != 2 {
		t.Errorf("%s, %s with %d rows", r.Method, want.Method, len(want.Classes.Beside))
	}
}

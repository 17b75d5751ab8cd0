package engine

import (
	"context"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
	"taper/internal/testtime"
)

// TestStoredRuns: the same spec and data give what they gave:
// the result, the model, every row. A file of testdata/runs changes when a
// change of the program says why (go test ./internal/engine -run TestStoredRuns -update).
func TestStoredRuns(t *testing.T) {
	clinic, iris := tabletest.FromRecords(tabletest.Clinic(120, 3)), shipped(t, "iris.csv")
	two := func(change func(s *runspec.Spec)) runspec.Spec {
		s := clinicSpec()
		s.Model.L2 = fit.L2{}
		s.Validation = runspec.Validation{Kind: "cv", Folds: 3}
		change(&s)
		return s
	}
	price := .3
	for _, c := range []struct {
		name  string
		table *table.Table
		spec  runspec.Spec
	}{
		{"interval", clinic, two(func(s *runspec.Spec) {
			s.Task, s.Model.Loss, s.Group, s.Validation.Repeats = "interval", "interval", "ward", 2
		})},
		{"splines", clinic, two(func(s *runspec.Spec) {
			s.Task, s.Splines, s.Weights = "binary", map[string]int{"age": 4}, ""
			s.Noise = runspec.Noise{Kind: "symmetric", Rate: .1}
		})},
		{"kernel", clinic, two(func(s *runspec.Spec) {
			s.Task, s.Validation = "binary", runspec.Validation{Kind: "split", Test: .3}
			s.Model = fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: "cv"}, L2: fit.L2{Value: .1}}
		})},
		{"same-folds", clinic, two(func(s *runspec.Spec) { s.Task, s.Model.Tuning = "binary", runspec.TuningSame })},
		{"t-logistic", clinic, two(func(s *runspec.Spec) { s.Task, s.Model.Loss, s.Model.L2.Value = "binary", "t-logistic", .5 })},
		{"boost", clinic, two(func(s *runspec.Spec) { s.Task, s.Model.Kind, s.Model.Rounds = "binary", "boost", 6 })},
		{"apparent", clinic, two(func(s *runspec.Spec) {
			s.Task, s.Model.L2.Value, s.Validation = "binary", .01, runspec.Validation{Kind: "none"}
		})},
		{"multiclass", iris, runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3,
			Model: fit.Spec{Loss: "al-zero-one", L2: fit.L2{Value: 1. / 64}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}}},
		{"abstain", iris, runspec.Spec{Outcome: "species", Task: "abstain", Seed: 3,
			Model: fit.Spec{Loss: "al-abstain", L2: fit.L2{Value: 1. / 64}}, Validation: runspec.Validation{Kind: "split", Test: .4}}},
		{"ordinal-abstain", iris, runspec.Spec{Outcome: "sepal_length", Task: "ordinal-abstain", Price: &price, Seed: 3,
			Bins: &runspec.Bins{Count: 3}, Model: fit.Spec{L2: fit.L2{Value: 1. / 64}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}}},
		{"ordinal", iris, runspec.Spec{Outcome: "sepal_length", Task: "ordinal", Bins: &runspec.Bins{Count: 3, By: "frequency"}, Seed: 3,
			Model: fit.Spec{Loss: "al-ordinal", Features: "th"}, Validation: runspec.Validation{Kind: "cv", Folds: 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Fit(t.Context(), c.table, c.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, "runs/"+c.name, map[string]any{"result": r, "model": r.Model, "rows": r.Rows})
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := Fit(ctx, c.table, c.spec, nil)
				return err
			})
		})
	}
}

// TestStoredBootstrap is TestStoredRuns for the bootstrap and the restarts of a run.
func TestStoredBootstrap(t *testing.T) {
	tab, s := tabletest.FromRecords(tabletest.Clinic(120, 3)), clinicSpec()
	s.Splines, s.Task, s.Model.L2 = map[string]int{"age": 3}, "binary", fit.L2{}
	r := mustFit(t, tab, s)
	o := BootstrapOptions{Replicates: 20, Seed: 5}
	b, err := bootstrapped(t.Context(), tab, s, r, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "bootstrap", b)
	testtime.EndAtLooks(t, func(ctx context.Context) error {
		_, err := bootstrapped(ctx, tab, s, r, o, nil)
		return err
	})
	s.Splines, s.Model.Loss = nil, "t-logistic"
	starts, err := Restarts(t.Context(), tab, s, .5, 3)
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "restarts", starts)
}

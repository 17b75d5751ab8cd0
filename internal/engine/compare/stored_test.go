package compare

import (
	"context"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
	"taper/internal/testtime"
)

// TestStoredComparisons: comparisons of runs that differ in every possible setting equal the
// stored ones; an ended context gives an error.
func TestStoredComparisons(t *testing.T) {
	clinic, iris := tabletest.FromRecords(tabletest.Clinic(120, 3)), tabletest.CSV(t, "../../../testdata/csv/iris.csv")
	two := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site"},
		Task: "binary", Boundaries: []float64{.2, .5}, Model: fit.Spec{L2: fit.L2{Value: .01}}, Seed: 7}
	several := runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3, Model: fit.Spec{L2: fit.L2{Value: 1. / 64}}}
	changed := func(s runspec.Spec, change func(s *runspec.Spec)) runspec.Spec {
		change(&s)
		return s
	}
	for _, c := range []struct {
		name  string
		table *table.Table
		specs []runspec.Spec
	}{
		{"two-classes", clinic, []runspec.Spec{two,
			changed(two, func(s *runspec.Spec) { s.Predictors, s.Model.Loss = s.Predictors[:2], "t-logistic" }),
			changed(two, func(s *runspec.Spec) { s.Task, s.Model.Loss, s.Boundaries = "interval", "interval", []float64{.2, .6} }),
			changed(two, func(s *runspec.Spec) { s.Seed, s.Validation.Repeats = 8, 2 }),
			changed(two, func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "none"} }),
			changed(two, func(s *runspec.Spec) { s.Model.L2, s.Model.Tuning = fit.L2{}, runspec.TuningSame }),
			changed(two, func(s *runspec.Spec) {
				s.Model, s.Validation = fit.Spec{Kind: "boost", Rounds: 5}, runspec.Validation{Kind: "split", Test: .4}
			}),
			changed(two, func(s *runspec.Spec) { s.Positive = table.Levels{"alive"} }),
		}},
		{"several-classes", iris, []runspec.Spec{several,
			changed(several, func(s *runspec.Spec) { s.Model.Loss, s.Predictors = "softmax", []string{"sepal_length", "petal_width"} }),
			changed(several, func(s *runspec.Spec) { s.Task = "abstain" }),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var runs []Run
			for i, s := range c.specs {
				r, err := engine.Fit(t.Context(), c.table, s, nil)
				if err != nil {
					t.Fatal(err)
				}
				id := string(rune('a' + i))
				runs = append(runs, Run{ID: id, Name: "run " + id, SHA256: "data", Spec: s.WithDefaults(), Result: r, Rows: r.Rows, Model: r.Model})
			}
			golden.Equal(t, "comparisons/"+c.name, compared(t, runs, 0))
			golden.Equal(t, "comparisons/"+c.name+"-last", compared(t, runs, len(runs)-1))
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := New(ctx, runs, 0)
				return err
			})
		})
	}
}

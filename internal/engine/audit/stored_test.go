package audit

import (
	"context"
	"math"
	"slices"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
	"taper/internal/testtime"
)

// TestStoredAudits: the ranking, the trial and the comparison with a reviewed run equal the
// stored ones; an ended context gives an error.
func TestStoredAudits(t *testing.T) {
	clinic, iris := tabletest.FromRecords(tabletest.Clinic(120, 3)), tabletest.CSV(t, "../../../testdata/csv/iris.csv")
	two := clinicSpec()
	two.Task, two.Model = "binary", fit.Spec{}
	kernel, boosted := two, two
	kernel.Model = fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .2}, L2: fit.L2{Value: .05}}
	boosted.Model = fit.Spec{Kind: "boost", Rounds: 5}
	bands := clinicSpec()
	bands.Task, bands.Model.Loss, bands.Validation = "interval", "interval", runspec.Validation{Kind: "split", Test: .3}
	several := runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3, Model: fit.Spec{Loss: "softmax", L2: fit.L2{Value: 1. / 64}}}
	zeroOne := several
	zeroOne.Model.Loss = "al-zero-one"
	for _, c := range []struct {
		name  string
		table *table.Table
		spec  runspec.Spec
		o     Options
		trial string
	}{
		{"two-classes", clinic, two, Options{}, TrialSymmetric},
		{"retuned", clinic, two, Options{Retune: true}, TrialOneSided},
		{"kernel", clinic, kernel, Options{}, ""},
		{"boost", clinic, boosted, Options{}, TrialSymmetric},
		{"interval", clinic, bands, Options{}, ""},
		{"softmax", iris, several, Options{}, TrialSymmetric},
		{"zero-one", iris, zeroOne, Options{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := engine.Fit(t.Context(), c.table, c.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Labels(t.Context(), c.table, c.spec, r, r.Rows, c.o, nil)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]any{"audit": a, "ranking": numbers(a.Ranking)}
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := Labels(ctx, c.table, c.spec, r, r.Rows, c.o, nil)
				return err
			})
			if c.trial != "" {
				try := func(ctx context.Context) (*Trial, error) {
					return Try(ctx, c.table, c.spec, TrialOptions{Kind: c.trial, Rate: .1, Seed: 2}, nil)
				}
				if found["trial"], err = try(t.Context()); err != nil {
					t.Fatal(err)
				}
				testtime.EndAtLooks(t, func(ctx context.Context) error {
					_, err := try(ctx)
					return err
				})
			}
			child := c.spec
			child.Review = &runspec.Review{ID: "r", Parent: "p"}
			other := map[string]string{"died": "alive", "alive": "died", "setosa": "versicolor", "versicolor": "virginica", "virginica": ""}
			for _, row := range a.Ranking[:4] {
				child.Review.Changes = append(child.Review.Changes, runspec.Relabel{Row: row.Row, To: other[r.Rows[row.Row].Outcome]})
			}
			sortChanges(child.Review.Changes)
			again, err := engine.Fit(t.Context(), c.table, child, nil)
			if err != nil {
				t.Fatal(err)
			}
			if found["reviewed"], err = CompareReviewed(r, again, r.Rows, again.Rows, child.Review); err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, "audits/"+c.name, found)
		})
	}
}

func sortChanges(all []runspec.Relabel) {
	slices.SortFunc(all, func(a, b runspec.Relabel) int { return a.Row - b.Row })
}

// numbers converts rows to JSON values, with null for NaN.
func numbers(rows []Row) (all [][]*float64) {
	for _, r := range rows {
		line := []float64{float64(r.Row), float64(r.Fold), float64(r.Label), float64(r.Other), r.Probability, r.Margin, r.Weight, r.Score}
		var held []*float64
		for _, v := range line {
			if held = append(held, nil); !math.IsNaN(v) {
				held[len(held)-1] = &v
			}
		}
		all = append(all, held)
	}
	return all
}

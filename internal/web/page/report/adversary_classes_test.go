package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// classReport is a report of three classes in order, which age and a marker tell in part,
// with the true answers.
func classReport(t *testing.T, task string, kept bool, seed uint64) (Printed, stat.Classes) {
	rng := rand.New(rand.NewPCG(seed, 11))
	n := 90 + rng.IntN(90)
	age, marker, grade := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		age[i], marker[i] = math.Round(40+40*rng.Float64()), rng.NormFloat64()
		k := math.Floor((age[i]-40)/16 + 0.5*marker[i] + 0.9*rng.Float64())
		grade[i] = []string{"1", "2", "3"}[int(max(0, min(2, k)))]
	}
	spec := runspec.Spec{Outcome: "grade", Task: task, Predictors: []string{"age", "marker"},
		Model:      fit.Spec{Kind: "linear", L2: fit.L2{Value: 1e-3}},
		Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1}.WithDefaults()
	r, err := engine.Fit(t.Context(), tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Numbers("marker", marker...),
		tabletest.Texts("grade", grade...)), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := store.Run{ID: "r1", DatasetName: "grades.csv", Spec: spec, Result: r, Version: "0.1"}
	c := Clinical{Model: r.Model}
	if kept {
		run, c.Model = WithoutRows(run, r.Model)
	}
	p := New(run, store.Dataset{}, c)
	p.Kept = kept
	return p, r.Classes.Metrics.Test
}

// TestClassReportAdversary: no number of a report of several classes whose answers are
// masked is one that weighs single answers, in any place that has it report by report.
func TestClassReportAdversary(t *testing.T) {
	formulas := map[string]func(stat.Classes) *float64{
		"mean error": func(m stat.Classes) *float64 { return m.MAE }, "kappa": func(m stat.Classes) *float64 { return m.Kappa },
		"macro F1":          func(m stat.Classes) *float64 { return m.MacroF1 },
		"balanced accuracy": func(m stat.Classes) *float64 { return m.BalancedAccuracy },
	}
	for _, task := range []string{"multiclass", "ordinal", "abstain"} {
		for _, kept := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, kept %v", task, kept), func(t *testing.T) {
				fits, there, hidden := map[[2]string]int{}, map[string]int{}, 0
				for seed := range uint64(16) {
					p, truth := classReport(t, task, kept, seed)
					if !answersHidden(truth) {
						continue
					}
					hidden++
					for place, n := range read(t, p.Report()) {
						there[place]++
						for name, of := range formulas {
							if v := of(truth); v != nil && n.half < 0.05 && (n.fits(*v) || n.fits(100**v)) {
								fits[[2]string{name, place}]++
							}
						}
					}
					if kept := p.Numbers().Classes.Metrics.Test; kept.MAE != nil || kept.Kappa != nil || kept.MacroF1 != nil ||
						kept.BalancedAccuracy != nil {
						t.Errorf("seed %d: the kept numbers hold %+v", seed, kept)
					}
				}
				if hidden < 5 {
					t.Fatalf("%d reports with masked answers", hidden)
				}
				for key, n := range fits {
					if n == there[key[1]] && n >= 4 {
						t.Errorf("%s stands at %s in %d reports", key[0], key[1], n)
					}
				}
			})
		}
	}
}

package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// classReport makes a report on three ordered classes, which age and a marker predict imperfectly, and returns it
// with the metrics of the true answers.
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

// TestClassReportAdversary checks that a multiclass report with masked answers contains no number that is a
// weighted sum of single answers, at any position where this holds in report after report.
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
					if !MaskSmall.answerMask(truth, task == "abstain").hidden {
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

// TestFewWrongAnswers checks that where only two answers are wrong, no number of a masked report is the accuracy. A
// report that shows small counts does print it, beside all answers in rows.
func TestFewWrongAnswers(t *testing.T) {
	before, truth := classReport(t, "multiclass", false, 3)
	var a stat.Answers
	a.Levels = truth.Levels
	for i, row := range truth.Confusion {
		for range row[0] + row[1] + row[2] {
			a.Label, a.Predicted = append(a.Label, i), append(a.Predicted, i)
		}
	}
	a.Predicted[0], a.Predicted[len(a.Predicted)-1] = 1, 1
	nearly := stat.Multiclass(a)
	nearly.LogLoss = truth.LogLoss
	result, several := *before.full, *before.full.Classes
	several.Metrics.Test, result.Classes = nearly, &several
	several.Metrics.Baselines = map[string]stat.Classes{"logistic": nearly, "null": truth}
	several.Beside = slices.Clone(several.Beside)
	for k := range several.Beside {
		several.Beside[k].Metrics = nearly
	}
	run := before.run
	run.Result = &result
	p := New(run, store.Dataset{}, Clinical{Model: result.Model})
	told := func(p Printed) (all []string) {
		for place, n := range read(t, p.Report()) {
			if n.half < 0.1 && (n.fits(*nearly.Accuracy) || n.fits(100**nearly.Accuracy)) && n.value != 1 && n.value != 100 {
				all = append(all, place)
			}
		}
		return all
	}
	if all := told(p); len(all) > 0 {
		t.Errorf("the accuracy stands at %v", all)
	}
	if got := p.Report().Sections[0].Body[0].(doc.Verdict); got[0] != rightMasked {
		t.Errorf("the verdict is %q", got)
	}
	if got := p.Numbers().Classes.Metrics.Test; got.Accuracy != nil || got.AbstentionLoss != nil {
		t.Errorf("the kept numbers hold %v", *got.Accuracy)
	}
	p.Small = ShowSmall
	if len(told(p)) < 2 {
		t.Error("the accuracy is missing where small counts are shown")
	}
	for _, section := range p.Report().Sections {
		for _, n := range section.Body {
			if table, is := n.(doc.Table); is && table.Caption == "Answers by true class" && table.Rows[0].Cells[2].Text() != "1" {
				t.Errorf("one wrong answer is shown as %q", table.Rows[0].Cells[2].Text())
			}
		}
	}
}

// TestRowsOfClassesMasked: where the weights of a model are small, its intercepts, thresholds, objective, log loss
// and Brier score follow from the class sizes. If a class size is masked, the report must contain none of them; if
// small counts are shown, it contains all.
func TestRowsOfClassesMasked(t *testing.T) {
	for _, task := range []string{"multiclass", "ordinal"} {
		n := 60
		age, grade := make([]float64, n), make([]string, n)
		for i := range n {
			age[i], grade[i] = float64(40+i%23), []string{"1", "2", "3"}[min(2, i/27)] // 27, 27 and 6 rows
		}
		spec := runspec.Spec{Outcome: "grade", Task: task, Predictors: []string{"age"},
			Model:      fit.Spec{Kind: "linear", Loss: "softmax", L2: fit.L2{Value: 1e3}},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1}
		if task == "ordinal" {
			spec.Model.Loss = ""
		}
		spec = spec.WithDefaults()
		r, err := engine.Fit(t.Context(), tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Texts("grade", grade...)), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Seconds, r.ElapsedS = 120, 180 // a fit of .67 ms would print the Brier score
		p := New(store.Run{ID: "r1", Spec: spec, Result: r, Version: "0.1"}, store.Dataset{}, Clinical{Model: r.Model})
		secret := map[string]float64{"objective": r.Objective}
		test := r.Classes.Metrics.Test
		for id, v := range map[string]*float64{"log loss": test.LogLoss, "its lower limit": test.LogLossLow, "its upper limit": test.LogLossHigh,
			"Brier score": test.Brier, "lower limit of the Brier score": test.BrierLow, "upper limit of the Brier score": test.BrierHigh} {
			if v != nil {
				secret[id] = *v
			}
		}
		for _, c := range r.Coefficients {
			if c.Name == model.InterceptName && c.Value != 0 {
				secret["intercept of "+c.Class] = c.Value
			}
		}
		for k, v := range r.Classes.Thresholds {
			secret[fmt.Sprintf("threshold %d", k)] = v
		}
		found := func(p Printed) (all []string) {
			there := read(t, p.Report())
			for name, v := range secret {
				for place, n := range there {
					if n.half <= 0.005 && n.fits(v) {
						all = append(all, name+" at "+place)
						break
					}
				}
			}
			return all
		}
		if all := found(p); len(all) > 0 {
			t.Errorf("%s: %v", task, all)
		}
		if got := p.Numbers().Classes.Metrics.Test; got.LogLoss != nil || got.LogLossLow != nil || got.LogLossHigh != nil ||
			got.Brier != nil || got.BrierLow != nil || got.BrierHigh != nil {
			t.Errorf("%s: the kept numbers hold the log loss", task)
		}
		words := fmt.Sprint(p.printed().classModelParts())
		masked := map[string]string{"multiclass": "Intercepts and the objective are masked", "ordinal": "Thresholds and the objective are masked"}
		if want := masked[task]; !strings.Contains(words, want) {
			t.Errorf("%s: the report does not say %q", task, want)
		}
		if !strings.Contains(words, "1000, as given") {
			t.Errorf("%s: the report does not say how λ was chosen", task)
		}
		p.Small = ShowSmall
		if all := found(p); len(all) < len(secret) {
			t.Errorf("%s, shown: %v of %v", task, all, secret)
		}
	}
}

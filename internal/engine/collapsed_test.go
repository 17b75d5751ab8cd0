package engine

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/task"
)

// TestCollapsedFolds: of three folds of 20 rows the second never answers ‘mild’. The others answer 12 of 40 rows with
// it, so 6 of 20 were to be expected. ‘Severe’ is answered in 8 of 40 other rows: 4 expected, which may be due to chance.
func TestCollapsedFolds(t *testing.T) {
	levels := []string{"none", "mild", "severe"}
	folds := []collapsible{{"1", []int{8, 8, 4}}, {"2", []int{20, 0, 0}}, {"3", []int{8, 8, 4}}}
	want := []string{"In fold 2 no row is answered with ‘mild’, although in other folds some are: its fit or its rows " +
		"differ. The metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	folds = append(folds, collapsible{"4", []int{20, 0, 0}})
	if got := collapsed(folds, levels); got != nil { // 16 of 60 other rows: 5 expected
		t.Errorf("%q", got)
	}
	folds[0].answers, folds[2].answers = []int{4, 12, 4}, []int{4, 12, 4} // 24 of 60: 8 expected
	want = []string{"In folds 2 and 4 no row is answered with ‘mild’, although in other folds some are: their fits or " +
		"rows differ. The metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := collapsed(folds[:1], levels); got != nil {
		t.Errorf("one fold: %q", got)
	}
}

// TestNeverFinal: the answers that the final model never gives, and the only one that it gives, where the models of the
// folds give others to at least seven rows.
func TestNeverFinal(t *testing.T) {
	for _, c := range []struct {
		final, folds, missed []int
		only                 int
	}{
		{[]int{0, 0, 100, 0}, []int{0, 11, 38, 51}, []int{1, 3}, 2},
		{[]int{0, 0, 200, 0}, []int{0, 4, 45, 51}, []int{1, 3}, 2}, // 4 of 100 are 8 of 200
		{[]int{0, 40, 60}, []int{9, 31, 60}, []int{0}, -1},
		{[]int{0, 40, 60}, []int{6, 34, 60}, nil, -1}, // may be due to chance
		{[]int{0, 100, 0}, []int{0, 100, 0}, nil, -1}, // the folds give one answer too
		{[]int{0, 0}, []int{50, 50}, nil, -1},         // no row to compare
	} {
		missed, only := neverFinal(c.final, c.folds)
		if !slices.Equal(missed, c.missed) || only != c.only {
			t.Errorf("%v and %v: %v, %d", c.final, c.folds, missed, only)
		}
	}
}

// TestFinalModelUnlikeFolds: a run says so where its final model gives every training row the same answer, or band, and
// the models of its folds do not, whose results it shows.
func TestFinalModelUnlikeFolds(t *testing.T) {
	warned := func(r *Result) bool {
		return slices.ContainsFunc(r.Warnings, func(w Warning) bool {
			return w.Code == WarnNeverPredicted && strings.Contains(w.Message, "every training row") && strings.Contains(w.Message, "unlike the models of the folds")
		})
	}
	answers := func(class, other int) stat.Classes {
		a := stat.Answers{Levels: []string{"a", "b"}}
		for k, n := range []int{class, other} {
			for range n {
				a.Label, a.Predicted = append(a.Label, k), append(a.Predicted, k)
			}
		}
		return stat.Multiclass(a)
	}
	tbl := generated(t, "ordinal-stripes", 120, nil)
	s := runspec.Spec{Outcome: "y", Task: "ordinal", Model: fit.Spec{Loss: "al-ordinal", L2: fit.L2{Value: .01}}, Seed: 11,
		Validation: runspec.Validation{Kind: "cv", Folds: 3}}
	if r := fitOf(t, tbl, s); warned(r) {
		t.Errorf("%+v", r.Warnings)
	}
	for kind, want := range map[string]bool{"cv": true, "split": false} {
		c := &comparison{spec: s, task: task.Of("ordinal")}
		c.spec.Validation.Kind = kind
		r := &Result{Classes: &ClassResult{Levels: []string{"a", "b"}}}
		r.Classes.Metrics.Train, r.Classes.Metrics.Test = answers(100, 0), answers(60, 40)
		if got := c.unlikeFolds(r); (len(got) == 1 && strings.Contains(got[0], "every training row with ‘a’")) != want || !want && len(got) > 0 {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestFinalModelAbstains: abstention counts as an answer, which the final model may give to every training row or never.
func TestFinalModelAbstains(t *testing.T) {
	counted := func(n ...int) stat.Classes { // the rows of each answer, the last abstained
		a := stat.Answers{Levels: []string{"a", "b"}}
		for k, rows := range n {
			for range rows {
				a.Label, a.Predicted = append(a.Label, k%2), append(a.Predicted, []int{0, 1, stat.Abstained}[k])
			}
		}
		return stat.Multiclass(a)
	}
	for _, c := range []struct {
		final, folds stat.Classes
		want         string
	}{
		{counted(0, 0, 100), counted(60, 40, 0), "The final model abstains on every training row, unlike the models"},
		{counted(0, 0, 100), counted(4, 4, 92), ""}, // may be due to chance
		{counted(100, 0, 0), counted(60, 0, 40), "The final model answers every training row with ‘a’, unlike"},
		{counted(60, 40, 0), counted(40, 30, 30), "On its training rows the final model never abstains, unlike"},
		{counted(60, 0, 40), counted(40, 30, 30), "On its training rows the final model never gives the answer ‘b’, unlike"},
	} {
		run := &comparison{task: task.Of("abstain")}
		run.spec.Validation.Kind = "cv"
		r := &Result{Classes: &ClassResult{Levels: []string{"a", "b"}}}
		r.Classes.Metrics.Train, r.Classes.Metrics.Test = c.final, c.folds
		if got := plain(strings.Join(run.unlikeFolds(r), " ")); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestFinalBandsUnlikeFolds: the same of bands; not where the final model uses no predictor, which another warning says.
func TestFinalBandsUnlikeFolds(t *testing.T) {
	r := bands([]float64{0.1, 0.3}, []int{100, 100, 100}, []int{5, 15, 60})
	for want, final := range map[string][]int{
		"": {120, 100, 80}, "The final model puts every training row into the band from 10 to 30 %, unlike the models": {0, 300, 0},
		"The final model puts no training row into the band above 30 %, unlike the models": {100, 200, 0},
	} {
		if got := plain(r.unlikeFolds(final)); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: %q", final, got)
		}
	}
	r.Coefficients = []Coefficient{{Name: "(intercept)", Value: 1}, {Name: "x"}}
	if got := r.unlikeFolds([]int{0, 300, 0}); got != "" {
		t.Errorf("without predictors: %q", got)
	}
}

// TestRunOfBandsUnlikeFolds: with one predictor of two values and hardly any penalty a risk is the share of events of its
// value, which differs between two folds. A boundary between the higher of these and the share in all rows leaves the
// final model no row above it.
func TestRunOfBandsUnlikeFolds(t *testing.T) {
	const rows, high = 200, .4 // of the rows with x = 1; 0.1 of the others
	x, y := make([]float64, rows), make([]string, rows)
	for i := range rows {
		x[i], y[i] = float64(i%2), "no"
		if i%20 == 0 || i%2 == 1 && i/2%5 < 2 {
			y[i] = "yes"
		}
	}
	tbl := tabletest.ByHand(tabletest.Numbers("x", x...), tabletest.Texts("y", y...))
	run := func(boundaries ...float64) *Result {
		return mustFit(t, tbl, runspec.Spec{Outcome: "y", Positive: table.Levels{"yes"}, Boundaries: boundaries, Seed: 3,
			Model:      fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1e-6}},
			Validation: runspec.Validation{Kind: "cv", Folds: 2}})
	}
	top := 0.
	for _, row := range run(.2).Rows {
		top = max(top, *row.Probability)
	}
	if top < high+.02 {
		t.Fatalf("highest risk %v: the folds are too alike for this test", top)
	}
	between := (high + top) / 2
	for want, boundaries := range map[string][]float64{
		"": {.2},
		"The final model puts every training row into the band at most": {between},
		"The final model puts no training row into the band above":      {.2, between},
	} {
		var got string
		for _, w := range run(boundaries...).Warnings {
			if w.Code == WarnNeverPredicted {
				got = w.Message
			}
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: %q, want %q", boundaries, got, want)
		}
	}
}

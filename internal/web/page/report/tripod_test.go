package report

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestChecklistClaimsWhatIsThere: an item may only refer to what this report prints. It names no Brier score of a
// model without probabilities, no masked O/E, and no Table 1, test rows, section or subgroup that the report does
// not have.
func TestChecklistClaimsWhatIsThere(t *testing.T) {
	item := func(p Printed, number string) string {
		for _, i := range tripodItems {
			if several, ok := classItems[number]; ok && p.several() {
				return several(p)
			}
			if i.number == number {
				return i.says(p)
			}
		}
		return "no such item"
	}
	full := func(pi []float64, counts ...[2]int) (store.Run, Clinical) {
		run, c := withBaselines(pi, counts...)
		c.Known, c.Model = true, &model.Model{}
		e := interval(0.2, 0.1, 0.3)
		c.Statistics.Judged = stat.Performance{AUC: e, Brier: e, ObservedExpected: e, ICI: e, IntervalLoss: e}
		c.Statistics.Boundaries = make([]stat.Boundary, len(pi))
		c.Statistics.Bands = make([]stat.BandRatio, len(pi)+1)
		run.Result.Table1 = []engine.Table1Row{{Name: "age"}}
		return run, c
	}
	for name, tt := range map[string]struct {
		counts [][2]int
		change func(run *store.Run, c *Clinical)
		says   map[string]string // by item: words that occur; those after ! must not
	}{
		"all": {counts: [][2]int{{200, 40}, {100, 60}}, says: map[string]string{
			"12e": "Brier score|observed / expected|ICI|interval loss|likelihood ratios at the boundaries|!net benefit", "4": "internal validation", "16": "not trained on it",
			"23": "Under Performance, Strata, Classification and Robustness.", "20": "predictors by outcome", "9": "by outcome under Data", "14": "No subgroup"}},
		"total masked": {counts: [][2]int{{50, 3}, {10, 4}}, says: map[string]string{"12e": "AUC|!Brier|!observed|!interval loss"}},
		"bands only": {counts: [][2]int{{200, 40}, {100, 60}}, change: func(run *store.Run, c *Clinical) {
			run.Spec.Model.Loss = "interval"
			c.Statistics.Judged.Brier, c.Statistics.Judged.ObservedExpected, c.Statistics.Judged.ICI = stat.Estimate{}, stat.Estimate{}, stat.Estimate{}
		}, says: map[string]string{"12e": "AUC|!Brier|!observed|!ICI|!alibration|!ecision curve", "15": "No percentage"}},
		"no rows held out": {counts: [][2]int{{200, 40}, {100, 60}}, change: func(run *store.Run, _ *Clinical) { run.Result.Apparent = true },
			says: map[string]string{"4": "!internal validation", "16": "!not trained on it|its training rows"}},
		"record alone": {counts: [][2]int{{200, 40}, {100, 60}}, change: func(run *store.Run, c *Clinical) { c.Known, c.By, run.Result.Table1 = false, "sex", nil },
			says: map[string]string{"12e": "!ICI|!boundaries", "23": "!Performance|!Classification|!Subgroups", "20": "!outcome", "9": "!by outcome", "14": "No subgroup"}},
		"several": {change: func(run *store.Run, _ *Clinical) {
			run.Result.Classes = &engine.ClassResult{Task: "multiclass"}
			run.Result.Classes.Metrics.Test.Accuracy = new(float64)
		}, says: map[string]string{"12e": "accuracy|!Wilson interval|!kappa|!precision", "9": "!under Data", "27": "and no answer|!no band"}},
	} {
		if tt.counts == nil {
			tt.counts = [][2]int{{0, 0}, {0, 0}}
		}
		run, c := full([]float64{0.5}, tt.counts...)
		if tt.change != nil {
			tt.change(&run, &c)
		}
		c.Run = run
		p := New(run, store.Dataset{}, c).printed()
		for number, words := range tt.says {
			got := item(p, number)
			for _, w := range strings.Split(words, "|") {
				not, lacks := strings.CutPrefix(w, "!")
				if strings.Contains(got, not) == lacks {
					t.Errorf("%s, item %s: %q, %q", name, number, got, w)
				}
			}
		}
	}
}

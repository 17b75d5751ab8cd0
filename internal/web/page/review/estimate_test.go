package review

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/store"
	"taper/web/templates"
)

// TestDisagreement: an audit reports label errors only beyond what class overlap explains.
func TestDisagreement(t *testing.T) {
	expected := &audit.Expected{Mean: 54.7, Low: 46.2, High: 63.1, Draws: 200}
	for want, e := range map[string]audit.Estimate{
		"An estimated 56 of 400 labels disagree confidently with the model; 55 would be expected from overlapping classes alone. There is no excess; errors at random look like overlap, so they cannot be ruled out. ": {Wrong: 55.8, Rows: 400, Expected: expected},
		"An estimated 97 of 400 labels disagree confidently with the model; 55 would be expected from overlapping classes alone. About 42 more than the overlap of the classes explains. ":                              {Wrong: 97.2, Rows: 400, Expected: expected},
		"An estimated 40 of 400 labels disagree confidently with the model; 55 would be expected from overlapping classes alone. There is no excess; errors at random look like overlap, so they cannot be ruled out. ": {Wrong: 40, Rows: 400, Expected: expected},
		"An estimated 1 of 400 labels disagrees confidently with the model; 0 would be expected from overlapping classes alone. There is no excess; errors at random look like overlap, so they cannot be ruled out. ":  {Wrong: 1.2, Rows: 400, Expected: &audit.Expected{Mean: .4, High: 2}},
		"No label of 400 disagrees confidently with the model. ": {Wrong: .2, Rows: 400, Expected: &audit.Expected{Mean: .4, High: 2}},
		"An estimated 56 of 400 labels disagree confidently with the model. Re-rank the labels to see how many would be expected from overlapping classes alone. ": {Wrong: 55.8, Rows: 400},
	} {
		if strong, rest := disagreement(&e); strong+" "+rest != want {
			t.Errorf("%q, want %q", strong+" "+rest, want)
		}
	}
	facts := jointFacts(&audit.Estimate{Wrong: 62, Rows: 569, Share: .109, Draws: 200, Expected: &audit.Expected{Mean: .2, High: 2, Draws: 200, Rates: []float64{.128, .106}}}, []string{"benign", "malignant"})
	if len(facts) != 2 || !strings.Contains(facts[1].Value, "12.8\u00a0% of benign, 10.6\u00a0% of malignant") {
		t.Errorf("%+v", facts)
	}
	if facts = jointFacts(&audit.Estimate{Wrong: 62, Rows: 569, Share: .109, Low: 44, High: 81, Draws: 200}, nil); len(facts) != 1 ||
		!strings.Contains(facts[0].Value, "95\u00a0% interval 44\u00a0–\u2060\u00a081 rows, percentiles of 200 bootstrap draws") { // beside a share they would read as %
		t.Errorf("%+v", facts)
	}
}

// TestTrialNamesItsInterval: the range beside the count has a level and a unit.
func TestTrialNamesItsInterval(t *testing.T) {
	trial := audit.Trial{Flipped: 20, Estimate: &audit.Estimate{Wrong: 40, Rows: 400, Low: 30, High: 50}}
	if got := trialTable(trial, false).Say; !strings.Contains(got, "(95\u00a0% interval 30\u00a0–\u2060\u00a050 rows)") {
		t.Errorf("%q", got)
	}
}

// TestAuditSaysEveryPenalty: the λ of every fold is listed, also where consecutive ones are equal; if all are
// equal, it is given once.
func TestAuditSaysEveryPenalty(t *testing.T) {
	for want, l2 := range map[string][]float64{"0.5, 0.25, 0.25, 0.5, 1": {.5, .25, .25, .5, 1}, "0.5": {.5, .5, .5, .5, .5}} {
		v := Page{Queue: &app.ReviewQueue{Audit: &store.Audit{Summary: audit.LabelAudit{L2: l2}}}}
		facts, _ := v.lead()
		if i := slices.IndexFunc(facts, func(f templates.Fact) bool { return f.Label == "Penalty λ of the folds" }); i < 0 || facts[i].Value != want {
			t.Errorf("%v: %+v", l2, facts)
		}
	}
}

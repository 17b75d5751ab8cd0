package review

import (
	"testing"

	"taper/internal/engine/audit"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
)

// TestReviewedVerdict: a run on reviewed labels is called better or worse than its parent only where the interval
// of the difference excludes 0.
func TestReviewedVerdict(t *testing.T) {
	between := func(value, low, high float64) stat.Estimate {
		return stat.Estimate{Value: &value, Low: &low, High: &high}
	}
	auc := func(d stat.Estimate) *audit.Reviewed {
		return &audit.Reviewed{Changed: 2, Untouched: 300, Events: 40, AUC: stat.AUCDifference{Difference: d}}
	}
	classes := func(d stat.Estimate) *audit.Reviewed {
		return &audit.Reviewed{Changed: 1, Untouched: 90, Classes: &audit.ReviewedClasses{Criterion: "error rate", Difference: d}}
	}
	for _, c := range []struct {
		name               string
		v                  *audit.Reviewed
		strong, rest, fact string
	}{
		{"worse", auc(between(-.0098, -.0178, -.0017)), "ΔAUC −0.010 on 300 rows whose label was not changed.",
			"Lower AUC, child minus parent. The review changed 2 rows.",
			"−0.010, 95\u00a0% CI −0.018\u00a0–\u2060\u00a0−0.002: worse"},
		{"unclear", auc(between(.01, -.002, .022)), "ΔAUC +0.010 on 300 rows whose label was not changed.",
			"No significant difference in AUC, child minus parent. The review changed 2 rows.",
			"+0.010, 95\u00a0% CI −0.002\u00a0–\u2060\u00a0+0.022: no significant difference"},
		{"no interval", auc(stat.Estimate{}), "ΔAUC – on 300 rows whose label was not changed.",
			"Child minus parent. The review changed 2 rows.", "–"},
		{"several classes", classes(between(-.05, -.08, -.02)),
			"Difference in error rate −0.050 on 90 rows whose label was not changed.",
			"Lower error rate, child minus parent. The review changed 1 row.",
			"−0.050, 95\u00a0% CI −0.080\u00a0–\u2060\u00a0−0.020: better"},
	} {
		facts := reviewedFacts(c.v)
		strong, rest := OriginalAndReviewedSentence(c.v)
		if strong != c.strong || rest != c.rest || facts[len(facts)-1].Value != c.fact {
			t.Errorf("%s: %q %q %q", c.name, strong, rest, facts[len(facts)-1].Value)
		}
	}
}

// TestAbstentionNamed: the answers of parent and child call an abstention as all pages do, not as files do.
func TestAbstentionNamed(t *testing.T) {
	table := reviewedAnswers(&audit.ReviewedClasses{Answers: []string{"a", model.AbstainText}, Moves: [][]int{{3, 1}, {0, 2}}})
	if column, row := table.Columns[2].Label, table.Rows[1].Cells[0].Text; column != "No answer" || row != "No answer" {
		t.Errorf("column %q, row %q", column, row)
	}
}

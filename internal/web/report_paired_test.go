package web

import (
	"strings"
	"testing"

	"taper/internal/viz"
)

// TestReportPaired: section 8 prints the differences stored with the run, equal to those of compare, without those
// that would reveal masked counts.
func TestReportPaired(t *testing.T) {
	s, r := flippedRuns(t)
	text := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(ask(s, "GET", "/report/"+r[1].ID, "", browser).Body.String()))
	d := r[1].Result.Clinical.Paired.LogLoss.Difference
	for _, want := range []string{"Model − logistic regression", viz.Signed(*d.Value, 4), strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(viz.Range(viz.Signed(*d.Low, 4), viz.Signed(*d.High, 4))), "percentiles of 2000 bootstrap draws, seed 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	c := askComparison(t, s, "ids="+idsOf(r[0], r[1]))
	if got := metricOf(t, c, "log_loss").PairedDifferences[1]; *got.Low == 0 || got.Draws != 2000 {
		t.Errorf("%+v", got)
	}
	if strings.Contains(plain(ask(s, "GET", "/report/"+r[0].ID, "", browser).Body.String()), "Model − logistic regression") {
		t.Error("logistic regression is held against itself")
	}
}

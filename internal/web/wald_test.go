package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestOddsRatioIntervals: the page of a run and its report show Wald intervals if the fit has no penalty, and
// otherwise explain why not and offer the bootstrap.
func TestOddsRatioIntervals(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	made := func(l2, rest string) string {
		t.Helper()
		w := ask(s, http.MethodPost, "/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":"disease","positive":"yes","seed":7,
			"predictors":["age","sex","oldpeak"],"task":"binary","model":{"loss":"logistic","l2":%s}%s}`, d.ID, l2, rest),
			"Content-Type: application/json")
		return finished(t, s, reportIDOf(t, w)).ID
	}
	const offer, print, wald = "Compute confidence intervals of the odds ratios by bootstrap", "the bootstrap on the run’s page computes them",
		"95 % CI: Wald"
	text := func(path string) string {
		return strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(ask(s, http.MethodGet, path, "", browser).Body.String()))
	}
	for name, c := range map[string]struct {
		l2, rest   string
		page, text []string
		not        string
	}{
		"without penalty": {"1e-12", "", []string{wald}, []string{wald}, offer},
		"with a penalty":  {"0.01", "", []string{offer}, []string{print}, wald},
	} {
		id := made(c.l2, c.rest)
		page, sheet := text("/runs/"+id+"/model"), text("/report/"+id)
		for _, want := range c.page {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		for _, want := range c.text {
			if !strings.Contains(sheet, want) {
				t.Errorf("%s: the report lacks %q", name, want)
			}
		}
		if strings.Contains(page, c.not) || strings.Contains(sheet, c.not) {
			t.Errorf("%s: it says %q", name, c.not)
		}
		if html := ask(s, http.MethodGet, "/runs/"+id+"/performance", "", browser).Body.String(); !strings.Contains(html, `id="optimism-h"`) {
			t.Errorf("%s: no place to compute intervals", name)
		}
	}
}

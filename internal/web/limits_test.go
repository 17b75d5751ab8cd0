package web

import (
	"regexp"
	"strings"
	"testing"
)

// TestLimitsOfRunAndReport: every limit that the report of a run lists stands on the page of its result, or, if it
// concerns terms or comparisons alone, on that of the model or of the performance.
func TestLimitsOfRunAndReport(t *testing.T) {
	s, runs := threeRuns(t)
	item := regexp.MustCompile(`(?s)<li[^>]*>(.*?)</li>`)
	for _, r := range runs {
		report := ask(s, "GET", "/report/"+r.ID+"?counts=shown", "", browser).Body.String()
		_, limits, ok := strings.Cut(report, "</span> Limits</h2>")
		if !ok {
			t.Fatal("the report has no section Limits")
		}
		limits, _, _ = strings.Cut(limits, "</ul>")
		text := runText(t, s, r.ID)
		result := plain(ask(s, "GET", "/runs/"+r.ID, "", browser).Body.String())
		all := item.FindAllStringSubmatch(limits, -1)
		if len(all) < 3 {
			t.Errorf("%s: the report lists %d limits", r.Name, len(all))
		}
		for _, m := range all {
			if said := plain(m[1]); !strings.Contains(text, said) {
				t.Errorf("%s: no page of the run says %q", r.Name, said)
			}
		}
		for _, said := range []string{"There was no external validation.", "were not estimated by bootstrap"} {
			if !strings.Contains(result, said) {
				t.Errorf("%s: the result lacks %q", r.Name, said)
			}
		}
	}
}

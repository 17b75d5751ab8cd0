package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"taper/internal/store"
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

// TestHorizonAfterTimeIsLeftOut: the result of a run says that its risks have no horizon, also after the time of
// follow-up is no longer among the kept data.
func TestHorizonAfterTimeIsLeftOut(t *testing.T) {
	s, _ := testServer(t, Config{})
	var csv strings.Builder
	csv.WriteString("days,marker,age,death\n")
	for i := range 300 {
		fmt.Fprintf(&csv, "%d,%.2f,%d,%s\n", 40+i*37%900, float64(i*53%101)/10, 30+i*7%50, []string{"no", "yes", "no"}[i%3])
	}
	d := bringAnswered(t, s, csv.String())
	w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"columns":[{"name":"days","role":"exclude"}],"confirm":true}`, "Content-Type: application/json")
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body.String())
	}
	if d = dataset(t, s, d.ID); d.State != store.Kept {
		t.Fatal(d.State)
	}
	spec := heartSpec(d, "Death", "logistic", .25, .5)
	spec.Outcome = "death"
	r := trained(t, s, spec)
	for _, path := range []string{"/runs/" + r.ID, "/report/" + r.ID} {
		if text := plain(ask(s, "GET", path, "", browser).Body.String()); !strings.Contains(text, "No time horizon: follow-up (days) is not used") {
			t.Errorf("%s does not say that there is no horizon", path)
		}
	}
}

package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// TestOrderOfGroups: the page offers every order of four groups, tests the chosen one, and takes it and the column of
// subgroups along to the report. A comma in a name stays in the name.
func TestOrderOfGroups(t *testing.T) {
	s, _ := testServer(t, Config{})
	csv := "group,x,sex\n"
	for i := range 120 {
		csv += []string{"well", `"frail, old"`, "ill", "worse"}[i%4] + "," +
			[]string{"1", "3", "6", "8", "2", "5", "4"}[i%7] + "," + []string{"f", "m"}[i/4%2] + "\n"
	}
	d := bringAnswered(t, s, csv)
	r := trained(t, s, runspec.Spec{Name: "Groups", Dataset: d.ID, Outcome: "group", Positive: table.Levels{"worse"},
		Negative: table.Levels{"well"}, ScoreOnly: []string{"frail, old", "ill"}, Predictors: []string{"x"}, Task: "binary",
		Boundaries: []float64{.5}, Seed: 1, Validation: runspec.Validation{Kind: "none"},
		Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: .1}}})
	page := func(query string) string {
		w := ask(s, http.MethodGet, "/runs/"+r.ID+"/performance?"+query, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %.300s", query, w.Code, w.Body)
		}
		return html.UnescapeString(w.Body.String())
	}
	plainly := page("")
	if n := strings.Count(plainly, " < "); n != 24*3 {
		t.Errorf("the menu of orders has %d signs, want 3 in each of 24 orders", n)
	}
	if !strings.Contains(plainly, `value="well,"frail, old",ill,worse" selected`) {
		t.Error("the order of the run is not chosen")
	}
	turned := `worse,ill,"frail, old",well`
	asked := url.Values{"order": {turned}, "by": {"sex"}}.Encode()
	chosen := page(asked)
	shown := plain(chosen[strings.LastIndex(chosen, "Score by group, in order"):])
	if !regexp.MustCompile(`(?s)worse.*ill.*frail, old.*well.*The tests assume`).MatchString(shown) {
		t.Errorf("the table is not in the chosen order: %.300s", shown)
	}
	if !strings.Contains(chosen, `href="/report/`+r.ID+`?by=sex&order=`+url.QueryEscape(turned)+`"`) {
		t.Error("the link to the report has lost the column or the order")
	}
	for _, field := range []string{`name="by" value="sex"`, `name="order" value="`} {
		if !strings.Contains(chosen, `type="hidden" `+field) {
			t.Errorf("a form loses what the other one chose: %s", field)
		}
	}
	for query, words := range map[string]string{
		"order=well,nobody":    "nobody",
		"order=well,ill,well":  "twice",
		"order=ill":            "two groups",
		`order=ill,%22well,no`: "quotation marks",
	} {
		for _, at := range []string{"/runs/" + r.ID + "/performance?", "/api/v1/runs/" + r.ID + "/statistics?"} {
			w := ask(s, http.MethodGet, at+query, "", browser)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), words) {
				t.Errorf("%s%s: %d %.200s", at, query, w.Code, w.Body)
			}
		}
	}
}

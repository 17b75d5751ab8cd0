package web

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/viz"
)

// TestSavedBesideShown: a run saved from the page of a fit or from the playground stores the numbers of that page,
// and its page and report compare them with its own. The printed report has no rows of the earlier bands.
func TestSavedBesideShown(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	text := func(path string) string {
		return strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(ask(s, http.MethodGet, path, "", browser).Body.String()))
	}
	saved := func(path, query string) (string, *engine.Result) {
		t.Helper()
		w := ask(s, http.MethodPost, path, query, "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
		id := strings.TrimPrefix(w.Header().Get("Location"), "/runs/")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return id, finished(t, s, id).Result
	}
	const title, query = "Before and after validation", "outcome=disease&event=yes&pi=0.2,0.35,0.5,0.7"
	shown := text("/stratify/" + d.ID + "?" + query)
	id, r := saved("/stratify/"+d.ID+"/save", query)
	b := r.Before
	if b == nil || b.L2 == nil || b.Rows == nil {
		t.Fatalf("it keeps %+v", b)
	}
	lead := "(" + strconv.Itoa(*b.Rows) + " of " + strconv.Itoa(r.Flow.Scored) + " rows)"
	if *b.Rows > 0 && !strings.Contains(shown, lead) {
		t.Errorf("the page of the fit had no %q", lead)
	}
	if after := r.Shown(""); *after.Rows == *b.Rows {
		t.Error("validation changed nothing: the test needs other data")
	}
	auc := "AUC " + viz.Number(b.Metrics["auc"], 3) + " " + viz.NumberOf(r.Metrics.Test.AUC, 3)
	page, sheet := text("/runs/"+id+"/performance"), text("/report/"+id)
	for name, got := range map[string]string{"page": page, "report": sheet} {
		if !strings.Contains(got, "λ chosen once, on the evaluation folds") || !strings.Contains(got, auc) {
			t.Errorf("the %s lacks the numbers of before", name)
		}
	}
	const rows = "Rows in bands inside their limits"
	if !strings.Contains(page, rows) || strings.Contains(sheet, rows) || !strings.Contains(text("/report/"+id+"?counts=shown"), rows) {
		t.Error("rows of bands are on the page, and on paper where small counts are shown")
	}

	// A given λ is the same in every fold, so no number was provisional.
	id, r = saved("/stratify/"+d.ID+"/save", query+"&l2=0.01")
	if r.Before != nil || strings.Contains(text("/runs/"+id+"/performance"), title) {
		t.Errorf("with λ given it keeps %+v", r.Before)
	}

	id, r = saved("/playground/save", "data=moons&n=200&seed=3&which=a")
	if r.Before == nil || !strings.Contains(r.Before.How, "new clean points") {
		t.Fatalf("the playground's run keeps %+v", r.Before)
	}
	was := r.Before.Metrics["accuracy"]
	label := "Accuracy at a threshold of 50 % " + viz.Percent(was, 1) + " " + viz.Percent(*r.Metrics.Test.Accuracy, 1)
	if page := text("/runs/" + id + "/performance"); !strings.Contains(page, label) || math.IsNaN(was) {
		t.Errorf("the page lacks %q", label)
	}
	if play := text("/playground?data=moons&n=200&seed=3"); !strings.Contains(play, viz.Percent(was, 1)) ||
		!strings.Contains(play, "Validate and save") {
		t.Errorf("the playground had no accuracy of %s %%", viz.Percent(was, 1))
	}

	// a run made by the API was not shown before
	w := ask(s, http.MethodPost, "/api/v1/runs", `{"dataset":"`+d.ID+`","outcome":"disease","positive":"yes","boundaries":[0.25,0.5],
		"model":{"loss":"logistic"}}`, "Content-Type: application/json")
	if r := finished(t, s, reportIDOf(t, w)); r.Result.Before != nil || strings.Contains(text("/runs/"+r.ID+"/performance"), title) {
		t.Error("a run that no page had shown has numbers of before")
	}
}

package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/data"
)

// courseCSV is a file whose outcome has four levels, with other words for them.
func courseCSV(n int, died, transferred, alive, home string) string {
	var b strings.Builder
	b.WriteString("age,marker,sex,course\n")
	for i := range n {
		level := []string{alive, home}[i%2]
		if (i*53)%100+i*37%101 > 110 {
			level = []string{died, transferred}[i/2%2]
		}
		fmt.Fprintf(&b, "%d,%.2f,%s,%s\n", 30+i*7%50, float64(i*37%101)/10, []string{"m", "f"}[i/3%2], level)
	}
	return b.String()
}

const severalBody = `"outcome":"course","positive":["died","transferred"],"negative":["alive","home"]`

// TestSeveralEvents takes a file whose event consists of two levels from its page to a run, its report, its model,
// new data and a repetition of the run.
func TestSeveralEvents(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, courseCSV(240, "died", "transferred", "alive", "home"))
	path := "/data/" + d.ID
	post(s, path, script, "outcome=course")
	for _, form := range [][]string{{"warning=which-event:course", "choice=died"}, {"level:transferred=event"}, {"level:alive=other"}, {"level:home=other"}} {
		if w := post(s, path, script, form...); w.Code != http.StatusOK {
			t.Fatalf("%v: %d %s", form, w.Code, w.Body)
		}
	}
	d = dataset(t, s, d.ID)
	if !d.Choice.Positive.SameSet(table.Levels{"died", "transferred"}) || !d.Choice.Negative.SameSet(table.Levels{"alive", "home"}) || data.Refusal(d) != "" {
		t.Fatalf("chosen %+v: %q", d.Choice, data.Refusal(d))
	}
	v := data.Outcome(d)
	events := 0
	for _, l := range datasets.OutcomeLevels(d) {
		if d.Choice.Positive.Has(l.Level) {
			events += l.Rows
		}
	}
	if v.Rate != fmt.Sprint(events) || v.Of != "of 240 rows," {
		t.Errorf("the page counts %s %s, want %d", v.Rate, v.Of, events)
	}
	if text := plain(ask(s, "GET", "/stratify/"+d.ID, "", browser).Body.String()); !strings.Contains(text, "transferred or died in study.csv") {
		t.Errorf("the bands are of %.300s", text)
	}

	var body struct{ Positive, Negative json.RawMessage }
	w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{`+severalBody+`}`)
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || string(body.Positive) != `["died","transferred"]` || string(body.Negative) != `["alive","home"]` {
		t.Errorf("patched: %d %s %s", w.Code, body.Positive, body.Negative)
	}

	run := ranOn(t, s, d.ID, severalBody)
	one := bring(t, s, courseCSV(240, "died", "died", "alive", "alive"))
	plainRun := ranOn(t, s, one.ID, `"outcome":"course","positive":"died","negative":"alive"`)
	if run.Result.Objective != plainRun.Result.Objective || !cmp.Equal(run.Result.Strata, plainRun.Result.Strata) {
		t.Errorf("objective %v, of one name for both levels %v", run.Result.Objective, plainRun.Result.Objective)
	}
	rows := ask(s, "GET", "/api/v1/runs/"+run.ID+"/rows?format=csv", "").Body.String()
	for _, level := range []string{",died,", ",transferred,", ",alive,", ",home,"} {
		if !strings.Contains(rows, level) {
			t.Errorf("rows.csv has no outcome %q", level)
		}
	}
	for _, page := range []string{"/runs/" + run.ID, "/runs/" + run.ID + "/model", "/report/" + run.ID} {
		if w := ask(s, "GET", page, "", browser); w.Code != http.StatusOK || !strings.Contains(plain(w.Body.String()), "died or transferred") {
			t.Errorf("%s: %d, or no name of the event", page, w.Code)
		}
	}
	if m := ask(s, "GET", "/api/v1/runs/"+run.ID+"/model.json", "").Body.String(); !strings.Contains(m, `"positive":["died","transferred"]`) || !strings.Contains(m, `"levels":["alive or home","died or transferred"]`) {
		t.Errorf("model.json: %.400s", m)
	}
	w = ask(s, "POST", "/api/v1/runs/"+run.ID+"/predict?evaluate=1", courseCSV(300, "died", "transferred", "alive", "elsewhere"), "Content-Type: text/csv")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"level":"elsewhere"`) {
		t.Errorf("evaluate: %d, or a level that the model does not know is not said: %.600s", w.Code, w.Body)
	}
	again := post(s, "/runs/"+run.ID+"/again", browser)
	if id, ok := strings.CutPrefix(again.Header().Get("Location"), "/runs/"); !ok || again.Code != http.StatusSeeOther {
		t.Errorf("again: %d %s", again.Code, plain(again.Body.String()))
	} else if r := finished(t, s, id); !slices.Equal(r.Spec.Positive, run.Spec.Positive) || r.Result.Objective != run.Result.Objective {
		t.Errorf("again: %+v", r.Spec)
	}

	to := "/stratify/" + d.ID + "?" + url.Values{"outcome": {"course"}, "positive": {"died"}, "negative": {"home", "transferred"}, "score": {"alive"}}.Encode()
	if w := ask(s, "GET", to, "", browser); w.Code != http.StatusOK || !strings.Contains(plain(w.Body.String()), "died in study.csv") {
		t.Errorf("an address with several levels of the other class: %d", w.Code)
	}
	grid := `{"dataset":"` + d.ID + `",` + severalBody + `,"models":[{"loss":"logistic","l2":0.01}],"noise":{"kind":"symmetric","rates":[0]},"replicates":2,"seed":3}`
	both := studyAt(t, s, studied(t, s, grid), done)
	grid = strings.NewReplacer(d.ID, one.ID, severalBody, `"outcome":"course","positive":"died"`).Replace(grid)
	if single := studyAt(t, s, studied(t, s, grid), done); !cmp.Equal(both.Cells[0].Values, single.Cells[0].Values) {
		t.Errorf("a study gives %v, of one name for both levels %v", both.Cells[0].Values, single.Cells[0].Values)
	}
}

// ranOn starts a run by the API and waits for it.
func ranOn(t *testing.T, s *Server, dataset, classes string) store.Run {
	t.Helper()
	var r struct{ ID string }
	w := ask(s, "POST", "/api/v1/runs", `{"dataset":"`+dataset+`",`+classes+`,"model":{"loss":"logistic","l2":0.01},"boundaries":[0.25,0.5,0.75],"validation":{"kind":"cv","folds":3},"seed":7}`)
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != http.StatusAccepted {
		t.Fatalf("%s: %d %s", classes, w.Code, w.Body)
	}
	return finished(t, s, r.ID)
}

// TestRunRefusesLevels names the field, and the level that is wrong.
func TestRunRefusesLevels(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, courseCSV(240, "died", "transferred", "alive", "home"))
	for classes, want := range map[string][2]string{
		`"positive":["died"],"negative":["died"]`:                                {"negative", "died"},
		`"positive":["died","transferred"],"negative":["alive","transferred"]`:   {"negative", "transferred"},
		`"positive":["died","died"],"negative":"alive"`:                          {"positive[1]", "died"},
		`"positive":["died","buried"],"negative":"alive"`:                        {"positive[1]", "buried"},
		`"positive":[],"negative":"alive"`:                                       {"positive", "empty"},
		`"positive":"died","negative":[]`:                                        {"negative", "empty"},
		`"positive":["died"],"negative":"alive","score_only":["home","died"]`:    {"score_only[1]", "died"},
		`"positive":["died",5],"negative":"alive"`:                               {"positive[1]", "5"},
		`"positive":["died","transferred"]`:                                      {"negative", "home"},
		`"task":"multiclass","model":{"loss":"softmax"},"positive":["a","died"]`: {"positive", "multiclass"},
	} {
		w := ask(s, "POST", "/api/v1/runs", `{"dataset":"`+d.ID+`","outcome":"course",`+classes+`}`)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Field != want[0] || !strings.Contains(p.Detail, want[1]) {
			t.Errorf("%s: %d %s, want %s", classes, w.Code, w.Body, want)
		}
	}
}

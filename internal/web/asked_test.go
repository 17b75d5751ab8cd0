package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"taper/internal/app/datasets"
	"taper/internal/engine/table"
	"taper/internal/web/httpio"
	"taper/internal/web/page/data"
	"taper/testdata"
)

// codedCSV is a file whose outcome is coded 0 and 1, with a second column that could be an outcome.
func codedCSV(n int) string {
	var b strings.Builder
	b.WriteString("age,marker,sex,died\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%.2f,%s,%d\n", 30+i*7%50, float64(i*37%101)/10, []string{"m", "f"}[i%2], btoi((i*53)%100+i*37%101 > 120))
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestOutcomeAndEventAreAsked: nothing is trained on a new upload before a person has named the outcome and, where
// the coding leaves it open, the event; each takes one click.
func TestOutcomeAndEventAreAsked(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, codedCSV(200))
	path, model := "/data/"+d.ID, "/stratify/"+d.ID
	refused := func(when, sentence, code string) {
		t.Helper()
		if w := post(s, path, browser, "confirm=1"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(plain(w.Body.String()), sentence) {
			t.Errorf("%s: confirming gives %d %s", when, w.Code, plain(w.Body.String()))
		}
		w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, `{"confirm":true}`)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusConflict || !strings.Contains(p.Detail, sentence) {
			t.Errorf("%s: the API confirms with %d %s", when, w.Code, w.Body)
		}
		now := dataset(t, s, d.ID)
		if now.State != "raw" || !slices.ContainsFunc(now.Warnings, func(w table.Warning) bool { return w.Code == code && w.Level == "ask" && !w.Settled }) {
			t.Errorf("%s: %s, %s is not asked", when, now.State, code)
		}
		html := ask(s, "GET", model, "", browser)
		if text := plain(html.Body.String()); html.Code != http.StatusOK || strings.Contains(text, "Observed") || !strings.Contains(text, "is the event?") && !strings.Contains(text, "Which column is the outcome?") {
			t.Errorf("%s: /stratify answers %d %s", when, html.Code, text)
		}
		if w := ask(s, "GET", model+"/live", "", script); strings.Contains(w.Body.String(), "r-strata") {
			t.Errorf("%s: bands of a guess", when)
		}
		if w := post(s, model+"/save", browser); w.Code < 400 {
			t.Errorf("%s: a run of a guess: %d", when, w.Code)
		}
	}
	if d.Choice.Outcome != "" || d.Choice.Positive.String() != "" {
		t.Errorf("guessed %+v", d.Choice)
	}
	refused("fresh", "Which column is the outcome?", "which-outcome")
	if w := post(s, path, script, "warning=which-outcome:", "choice=died"); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	if d = dataset(t, s, d.ID); d.Choice.Outcome != "died" || d.Choice.Positive.String() != "" {
		t.Errorf("after the outcome: %+v", d.Choice)
	}
	refused("with an outcome", "Which value of died is the event?", "which-event")
	if w := ask(s, "GET", model+"?outcome=died&positive=1", "", browser); w.Code != http.StatusOK || !strings.Contains(plain(w.Body.String()), "Observed") {
		t.Errorf("an address that names the event: %d", w.Code)
	}
	if w := post(s, path, script, "warning=which-event:died", "choice=1"); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	if d = dataset(t, s, d.ID); d.Choice.Positive.String() != "1" || d.Choice.Negative.String() != "0" {
		t.Errorf("after the event: %+v", d.Choice)
	}
	if i := slices.IndexFunc(d.Warnings, func(w table.Warning) bool { return w.Code == "which-event" || w.Code == "which-outcome" }); i >= 0 {
		t.Errorf("still says %q", d.Warnings[i].Message)
	}
	if w := post(s, path, browser, "confirm=1"); w.Code != http.StatusSeeOther {
		t.Errorf("confirming: %d %s", w.Code, plain(w.Body.String()))
	}
}

// TestKnownOutcomesAreNotAsked: samples and simulated data come with outcome and event.
func TestKnownOutcomesAreNotAsked(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, f := range testdata.Samples {
		id, err := s.datasets.Sample(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if d := dataset(t, s, id); d.Choice.Outcome != f.Outcome || d.Choice.Positive.String() != f.Positive || datasets.OpenQuestion(d) != "" {
			t.Errorf("%s: %+v, %q", f.File, d.Choice, datasets.OpenQuestion(d))
		}
	}
	d, err := s.datasets.Generate(t.Context(), "long-servedio", 200, 1, nil)
	if err != nil || d.Choice.Positive.String() != "1" || data.Refusal(d) != "" {
		t.Errorf("generated: %+v, %q, %v", d.Choice, data.Refusal(d), err)
	}
}

// TestAPINamesItsOutcome: runs and studies of the API must name outcome and event; they are not taken from the
// dataset. The error lists the possible ones.
func TestAPINamesItsOutcome(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, codedCSV(200))
	if d.Choice.Positive.String() == "" {
		t.Fatalf("%+v", d.Choice)
	}
	const run = `"model":{"loss":"logistic","l2":0.01},"validation":{"kind":"cv","folds":2}`
	const grid = `"models":[{"loss":"logistic","l2":0.01}],"noise":{"kind":"symmetric","rates":[0]},"replicates":1`
	for _, c := range []struct{ path, body, field, says string }{
		{"runs", `{` + run + `}`, "outcome", "‘died’ and ‘sex’"},
		{"runs", `{"outcome":null,` + run + `}`, "outcome", "‘died’ and ‘sex’"},
		{"runs", `{"task":"multiclass","model":{"loss":"softmax"}}`, "outcome", "‘died’ and ‘sex’"},
		{"runs", `{"outcome":"died",` + run + `}`, "positive", "‘0’, ‘1’"},
		{"runs", `{"outcome":"died","positive":null,` + run + `}`, "positive", "‘0’, ‘1’"},
		{"studies", `{` + grid + `}`, "outcome", "‘died’ and ‘sex’"},
		{"studies", `{"outcome":"died",` + grid + `}`, "positive", "‘0’, ‘1’"},
		{"studies", `{"preset":"ding-fig3","size":"smoke"}`, "outcome", "‘died’ and ‘sex’"},
	} {
		w := ask(s, "POST", "/api/v1/"+c.path, `{"dataset":"`+d.ID+`",`+c.body[1:])
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Field != c.field || !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s %s: %d %s", c.path, c.body, w.Code, w.Body)
		}
	}
	for _, c := range [][2]string{{"runs", run}, {"studies", grid}} {
		if w := ask(s, "POST", "/api/v1/"+c[0], `{"dataset":"`+d.ID+`","outcome":"died","positive":"1",`+c[1]+`}`); w.Code != http.StatusAccepted {
			t.Errorf("%s with both: %d %s", c[0], w.Code, w.Body)
		}
	}
	if w := post(s, "/studies", browser, "data=d:"+d.ID, "model=linear logistic l2=0.01", "noise=symmetric", "rates=0", "metric=accuracy", "replicates=1"); w.Code != http.StatusSeeOther {
		t.Errorf("a form on what a person chose: %d %s", w.Code, plain(w.Body.String()))
	}
}

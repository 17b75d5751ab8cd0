package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"taper/internal/engine/loss"
	"taper/internal/store"
)

// methodBodies are specs of runs as clients send them: the model, its title and link, and whether rows have
// weights.
var methodBodies = []struct {
	model, title, link string
	weight             bool
}{
	{`{"kind":"linear","loss":"alpha","params":{"alpha":4},"l2":0.01}`, "α-loss, α = 4", "logistic-scaled", true},
	{`{"kind":"linear","loss":"t-logistic","params":{"t":1.6},"solver":"cmp","l2":0.5}`, "t-logistic, t = 1.6", "escort", true},
	{`{"kind":"linear","loss":"tempered","params":{"t1":0.6,"t2":1.6},"l2":"cv","tuning":"same-folds"}`, "Two-temperature, t₁ = 0.6, t₂ = 1.6", "escort", true},
	{`{"kind":"linear","loss":"squared-hinge","l2":0.01}`, "Squared hinge", "squared-hinge", false},
	{`{"kind":"kernel","loss":"squared-hinge","kernel":{"name":"rbf","gamma":0.05},"l2":0.01}`, "Squared hinge, RBF kernel", "squared-hinge", false},
	{`{"kind":"kernel","loss":"alpha","params":{"alpha":2},"kernel":{"name":"poly","gamma":"cv","degree":2},"l2":0.01,"tuning":"validation-set"}`, "α-loss, α = 2, polynomial kernel of degree 2", "logistic-scaled", true},
	{`{"kind":"boost","loss":"alpha","params":{"alpha":0.5},"rounds":20,"depth":2,"theta_rule":"line-search","l2":0.01}`, "AdaBoost.α, α = 0.5, 20 trees", "logistic-scaled", true},
}

// TestMethodRuns starts a run of each method and checks its results: answers match their schemas, rows have weights
// and flips, new rows are scored.
func TestMethodRuns(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	file := newPatients(t)
	for _, m := range methodBodies {
		body := fmt.Sprintf(`{"dataset":%q,"outcome":"disease","positive":"yes","task":"interval","boundaries":[0.2,0.6],"model":%s,
			"validation":{"kind":"cv","folds":3},"noise":{"kind":"random","rate":0.1},"seed":7}`, d.ID, m.model)
		var made struct{ ID string }
		w := ask(s, "POST", "/api/v1/runs", body, "Content-Type: application/json")
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
			t.Fatalf("%s: %d %s", m.title, w.Code, w.Body)
		}
		run := finished(t, s, made.ID)
		var v, model map[string]any
		for path, to := range map[string]*map[string]any{"": &v, "/model.json": &model} {
			w := ask(s, "GET", "/api/v1/runs/"+made.ID+path, "")
			if err := json.Unmarshal(w.Body.Bytes(), to); err != nil || w.Code != 200 {
				t.Fatalf("%s: %d %s", m.title, w.Code, w.Body)
			}
		}
		asDescribed(t, "Run", v)
		asDescribed(t, "Spec", v["spec"].(map[string]any))
		asDescribed(t, "Model", model)
		if v["method"] != m.title || v["link"].(map[string]any)["id"] != m.link || model["link"] != m.link {
			t.Errorf("%s: method %v, link %v, in the file %v", m.title, v["method"], v["link"], model["link"])
		}
		rows, err := csv.NewReader(strings.NewReader(ask(s, "GET", "/api/v1/runs/"+made.ID+"/rows?format=csv", "").Body.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		flipped := 0
		for _, row := range rows[1:] {
			if row[4] == "" || (row[7] != "") != m.weight {
				t.Fatalf("%s: row %q", m.title, row)
			}
			if row[8] == "true" || row[8] == "1" {
				flipped++
			}
		}
		if want := run.Result.Flow.Flipped; flipped != want || want == 0 {
			t.Errorf("%s: %d rows flipped, the flow says %d", m.title, flipped, want)
		}
		w = ask(s, "POST", "/api/v1/runs/"+made.ID+"/predict", file, "Content-Type: text/csv")
		scored, err := csv.NewReader(strings.NewReader(w.Body.String())).ReadAll()
		if err != nil || w.Code != 200 || len(scored) != 41 {
			t.Fatalf("%s: %d, %v, %d lines", m.title, w.Code, err, len(scored))
		}
		head := len(scored[0])
		for _, row := range scored[1:] {
			inside := row[head-2] != "outside the data"
			if row[head-5] == "" || (row[head-4] != "") != inside || (row[head-3] != "") != inside || row[head-2] == "" {
				t.Errorf("%s: a row is scored %q", m.title, row[head-5:])
			}
		}
		w = ask(s, "POST", "/api/v1/runs/"+made.ID+"/predict?evaluate=1", file, "Content-Type: text/csv")
		var judged map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &judged); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s", m.title, w.Code, w.Body)
		}
		asDescribed(t, "Evaluation", judged)
		methodPages(t, s, run, m.title)
	}
}

// methodPages checks the pages of a run: the name and link of its model, the noise, odds ratios or trees, and the
// form for one patient.
func methodPages(t *testing.T, s *Server, run store.Run, title string) {
	t.Helper()
	says := []string{title, run.Result.Link.Formula, "random flips, exact share, 10.0\u00a0%", "Of these with added noise", "Logistic, thresholded"}
	switch {
	case run.Result.Importance != nil:
		says = append(says, "Share of the trees", "Trees have no odds ratios.")
	case run.Result.Kernel != nil:
		says = append(says, "Rows in the score", "has no coefficients", "Convergence of the final fit", "Sensitivity against 1 − specificity", "Calibration, ")
	case run.Result.Link.Note != "":
		says = append(says, "at score 0", "mean over the rows", run.Result.Link.Note)
	case run.Result.Link.ID == loss.LinkScaled:
		says = append(says, "Odds ratio")
	default:
		says = append(says, "its coefficients have no odds ratios")
	}
	text := runText(t, s, run.ID)
	for _, want := range says {
		if !strings.Contains(text, plain(want)) {
			t.Errorf("%s: the page lacks %q", title, want)
		}
	}
	for _, path := range []string{"/api/v1/runs/%s/report", "/runs/%s/patients"} {
		if w := ask(s, "GET", fmt.Sprintf(path, run.ID), ""); w.Code != 200 {
			t.Errorf("%s: %s answers %d: %.200s", title, path, w.Code, w.Body)
		} else if !utf8.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %s cuts a letter in two", title, path)
		} else if strings.HasSuffix(path, "/report") && !strings.Contains(plain(w.Body.String()), plain(run.Result.Link.Formula)) {
			t.Errorf("%s: the report does not name the link", title)
		}
	}
}

// TestMethodRefusals: settings that no method allows are refused with their field.
func TestMethodRefusals(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	for model, field := range map[string]string{
		`{"loss":"alpha","params":{"alpha":0}}`:                                   "model.params.alpha",
		`{"loss":"alpha","params":{"alpha":"many"}}`:                              "model.params.alpha",
		`{"loss":"tempered","params":{"t1":-1}}`:                                  "model.params.t1",
		`{"loss":"tempered","params":{"t2":4.5}}`:                                 "model.params.t2",
		`{"loss":"t-logistic","params":{"t":2.5}}`:                                "model.params.t",
		`{"loss":"ramp","params":{"s":1}}`:                                        "model.params.s",
		`{"loss":"hinge"}`:                                                        "model.loss",
		`{"loss":"zero-one"}`:                                                     "model.loss",
		`{"loss":"ww"}`:                                                           "model.loss",
		`{"loss":"alpha","solver":"newton"}`:                                      "model.solver",
		`{"kind":"boost","loss":"alpha","rounds":0}`:                              "model.rounds",
		`{"kind":"boost","loss":"alpha","depth":99}`:                              "model.depth",
		`{"kind":"boost","loss":"alpha","theta_rule":"most"}`:                     "model.theta_rule",
		`{"kind":"boost","loss":"logistic"}`:                                      "model.loss",
		`{"kind":"forest","loss":"logistic"}`:                                     "model.kind",
		`{"kind":"kernel","loss":"t-logistic"}`:                                   "model.loss",
		`{"kind":"kernel","loss":"logistic","kernel":{"gamma":0}}`:                "model.kernel.gamma",
		`{"loss":"logistic"},"noise":{"kind":"loud"}`:                             "noise.kind",
		`{"loss":"logistic"},"noise":{"kind":"random","rate":2}`:                  "noise.rate",
		`{"loss":"logistic"},"noise":{"kind":"random","rate_positive":0.5}`:       "noise.rate_positive",
		`{"loss":"logistic"},"noise":{"kind":"class","rate_negative":-0.5}`:       "noise.rate_negative",
		`{"loss":"alpha","params":{"alpha":"inf"}},"boundaries":[0.5,0.7]`:        "model.loss",
		`{"kind":"boost","loss":"alpha","params":{"alpha":2,"rounds":3}}`:         "model.params.rounds",
		`{"loss":"alpha","params":{"alpha":4},"standardize":"no"}`:                "model.standardize",
		`{"loss":"interval","params":{"pi":[0.2]}},"boundaries":[0.25,0.5,0.75]`:  "model.params.pi",
		`{"loss":"tempered","params":{"t1":0,"t2":1.5}},"boundaries":[0.25,0.75]`: "model.loss",
	} {
		wantField(t, s, "POST", "/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":"disease","positive":"yes","task":"interval","model":%s}`, d.ID, model), field)
	}
}

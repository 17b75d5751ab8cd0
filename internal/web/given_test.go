package web

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// clinic is a file with the predictions of another model for each patient, as a probability and as points.
func clinic(t *testing.T, s *Server) store.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	var csv strings.Builder
	csv.WriteString("age,sex,p,points,died\n")
	for i := range 300 {
		age, sex := 40+r.IntN(40), []string{"f", "m"}[r.IntN(2)]
		f := float64(age-60)/9 - .8 + r.NormFloat64()*.5
		died := map[bool]string{true: "yes", false: "no"}[r.Float64() < 1/(1+math.Exp(-f))]
		p := fmt.Sprintf("%.3f", 1/(1+math.Exp(-.7*f)))
		if i == 7 {
			p = ""
		}
		fmt.Fprintf(&csv, "%d,%s,%s,%d,%s\n", age, sex, p, 20-int(math.Round(2*f)), died)
	}
	return bring(t, s, csv.String())
}

// TestGivenOnPages evaluates a column of probabilities, points that decrease with the risk, and a formula. Every
// page shows what is known and says what cannot be known; uses that need the model are refused with the reason.
func TestGivenOnPages(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := clinic(t, s)
	for name, test := range map[string]struct {
		model  fit.Spec
		method string
		soft   bool
		reason string // why there is no calculator and no code
	}{
		"probability": {fit.Spec{Columns: []string{"p"}}, "Given probability ‘p’", true, "came with the data"},
		"points":      {fit.Spec{Columns: []string{"points"}, Scale: fit.ScaleScore}, "Given score ‘points’", false, "came with the data"},
		"formula": {fit.Spec{Formula: "(age − 60)/10 − 0.8 + 0*(sex = m)"}, "Published formula", true,
			"neither what replaces a missing value"},
	} {
		t.Run(name, func(t *testing.T) {
			test.model.Kind, test.model.L2 = fit.KindGiven, fit.L2{Value: .01}
			run := trained(t, s, runspec.Spec{Dataset: d.ID, Outcome: "died", Positive: table.Levels{"yes"},
				Predictors: []string{"age", "sex"}, Boundaries: []float64{.2, .6}, Seed: 2, Model: test.model})
			to := "/runs/" + run.ID
			page := func(path string) string {
				t.Helper()
				w := ask(s, "GET", path, "", browser)
				if w.Code != http.StatusOK {
					t.Fatalf("%s: %d %s", path, w.Code, w.Body)
				}
				return w.Body.String()
			}
			pages := map[string][]string{
				to:                  {"If "},
				to + "/performance": {"cannot be fitted again", "than logistic regression’s (95"},
				to + "/model":       {test.method, "What is evaluated", "with which penalty λ", "is not known"},
				to + "/patients":    {"There is no model to apply to new rows", test.reason, "List rows in a band"},
				to + "/group":       {"died"},
				"/audit/" + run.ID:  {"Rank", "A trial trains on flipped labels"},
				"/report/" + run.ID: {test.method, "Evaluation of a model that was developed elsewhere", "cannot be fitted again"},
			}
			for path, says := range pages {
				text := page(path)
				for _, want := range says {
					if !strings.Contains(text, want) {
						t.Errorf("%s does not say %q", path, want)
					}
				}
				for _, not := range []string{"calculator.html", "model.json", "Correct for optimism", "Check optimism",
					"Final fit", "depth 0", "events for 0 parameters", ">Coefficients<", "Apparent"} {
					if strings.Contains(text, not) {
						t.Errorf("%s says %q of what was not fitted", path, not)
					}
				}
			}
			if cut := strings.Contains(page(to), "Cut-offs in these data"); cut == test.soft {
				t.Errorf("cut-offs of a score: %v", cut)
			}
			if !test.soft && (!strings.Contains(page(to), "below ") || !strings.Contains(page("/report/"+run.ID), "Cut-offs of the score")) {
				t.Error("the direction, or the report’s cut-offs, are missing")
			}
			for _, call := range [][3]string{{"POST", "/bootstrap", `{}`}, {"GET", "/model.json", ""}, {"GET", "/code/python", ""},
				{"GET", "/calculator.html", ""}, {"POST", "/predict", `{"rows":[{"age":50}]}`}, {"POST", "/audit", `{"try":{"kind":"symmetric","rate":0.1,"seed":1}}`}} {
				w := ask(s, call[0], "/api/v1"+to+call[1], call[2], "Content-Type: application/json")
				var problem struct{ Detail string }
				if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code != 409 && w.Code != 422 ||
					!strings.Contains(problem.Detail, "came with the data") && !strings.Contains(problem.Detail, test.reason) {
					t.Errorf("%s: %d %s", call[1], w.Code, w.Body)
				}
				if exports := strings.Contains(call[1], "calculator") || strings.Contains(call[1], "code"); exports &&
					!strings.Contains(problem.Detail, test.reason) {
					t.Errorf("%s: %s", call[1], problem.Detail)
				}
			}
		})
	}
}

// TestGivenByPage opens the form from the stratify page, is refused with the reason while its input is kept, and
// evaluates a column and a formula with the bands of that page.
func TestGivenByPage(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := clinic(t, s)
	const state = "?outcome=died&positive=yes&pi=.2,.6&method=logistic&l2=0.01&folds=3"
	at := "/stratify/" + d.ID + "/given" + state
	if html := ask(s, "GET", "/stratify/"+d.ID+state, "", browser).Body.String(); !strings.Contains(html, `/given"`) {
		t.Error("the stratify page does not lead to the evaluation of a score")
	}
	html := ask(s, "GET", at, "", browser).Body.String()
	for _, want := range []string{`<option value="p"`, `<option value="points"`, `name="formula"`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(html, `<option value="sex"`) || strings.Contains(html, `<option value="died"`) {
		t.Error("a column of words, or the outcome, is offered as a score")
	}
	post := func(body string) *httptest.ResponseRecorder {
		return ask(s, "POST", at, body, formPost, "Origin: http://127.0.0.1:8080", browser)
	}
	w := post("column=points&scale=probability&formula=")
	if body := w.Body.String(); w.Code != 422 || !strings.Contains(body, "probabilities from 0 to 1") ||
		!strings.Contains(body, `value="points" selected`) {
		t.Errorf("points as probabilities: %d %s", w.Code, body)
	}
	fitted := trained(t, s, runspec.Spec{Dataset: d.ID, Outcome: "died", Positive: table.Levels{"yes"},
		Predictors: []string{"age", "sex"}, Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: .01}}})
	file := ask(s, "GET", "/api/v1/runs/"+fitted.ID+"/model.json", "").Body.String()
	if w := post("scale=logit&formula=" + url.QueryEscape(file[:len(file)/2])); w.Code != 422 ||
		!strings.Contains(w.Body.String(), "paste all of the file") {
		t.Errorf("half of a model.json: %d", w.Code)
	}
	for _, body := range []string{"column=points&scale=score&direction=lower", "column=&formula=%28age-60%29%2F10&scale=logit",
		"column=&scale=logit&formula=" + url.QueryEscape(file)} {
		w := post(body)
		to := w.Header().Get("Location")
		if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/runs/") {
			t.Fatalf("%s: %d %s", body, w.Code, w.Body)
		}
		run, err := s.db.Run(t.Context(), strings.TrimPrefix(to, "/runs/"))
		if err != nil || !run.Spec.Model.Given() || !slices.Equal(run.Spec.Boundaries, []float64{.2, .6}) ||
			run.Spec.Validation.Folds != 3 {
			t.Errorf("%s: %v, run of %+v", body, err, run.Spec)
		}
	}
	if w := ask(s, "GET", "/stratify/"+d.ID+"/given?outcome=died&positive=yes&pi=.6,.2", "", browser); w.Code != 422 {
		t.Errorf("boundaries that fall: %d", w.Code)
	}
}

// TestGivenLook opens the form in every look.
func TestGivenLook(t *testing.T) {
	p, b := commonTab(t)
	everyLook(b, "given", "/stratify/"+p.sampleID("wdbc.csv")+"/given?method=logistic&l2=0.01")
}

package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"taper/internal/engine/runspec"
)

const curvedSpec = `{"dataset":"%s","outcome":"disease","positive":"yes","task":"interval","predictors":["age","chol","sex"],"splines":{"age":4,"chol":3},
	"model":{"kind":"linear","loss":"logistic","l2":0.02},"boundaries":[0.25,0.5],"validation":{"kind":"cv","folds":3},"seed":1}`

// TestSplineForm sends the form of the predictors without scripts: one field per number, whether its column is
// checked or not.
func TestSplineForm(t *testing.T) {
	s, id := sampleServer(t, "heart-clinic-dirty.csv")
	form := "base=method%3Dlogistic%26l2%3D0.0156%26spline%3Dage.3&x=&x=age&x=chol&spline=age.5&spline=chol.0&spline=&spline=oldpeak.4"
	w := ask(s, http.MethodGet, "/stratify/"+id+"?"+form, "", browser)
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || to != "/stratify/"+id+"?method=logistic&l2=0.0156&x=age&x=chol&spline=age.5" {
		t.Fatalf("%d to %s", w.Code, to)
	}
	page := ask(s, http.MethodGet, to, "", browser).Body.String()
	for _, want := range []string{"age (5 knots), chol", `<option value="age.5" selected>5 knots</option>`, `id="r-curves"`, "The bootstrap of a saved run gives the curves their bands", `name="spline" value="age.5"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	w = ask(s, http.MethodPost, "/stratify/"+id+"/save", strings.TrimPrefix(to, "/stratify/"+id+"?"), browser, "Content-Type: application/x-www-form-urlencoded")
	run := strings.TrimPrefix(w.Header().Get("Location"), "/runs/")
	awaited(t, s, "/api/v1/runs/"+run)
	var got struct{ Spec runspec.Spec }
	if err := json.Unmarshal(ask(s, http.MethodGet, "/api/v1/runs/"+run, "").Body.Bytes(), &got); err != nil || len(got.Spec.Splines) != 1 || got.Spec.Splines["age"] != 5 {
		t.Errorf("the run has %v, %v", got.Spec.Splines, err)
	}
	if page := runHTML(t, s, run); !strings.Contains(page, "spline=age.5") || !strings.Contains(page, "age with 5 knots") {
		t.Error("the run leads back without its curve, or does not tell of it")
	}
}

// TestSplineRun checks everything that is made from a run with splines.
func TestSplineRun(t *testing.T) {
	s, id := sampleServer(t, "heart-clinic-dirty.csv")
	run := runTo(t, s, fmt.Sprintf(curvedSpec, id))
	page := func(path string) string {
		t.Helper()
		w := ask(s, http.MethodGet, path, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %.300s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	says := func(path string, all ...string) {
		t.Helper()
		text := page(path)
		for _, want := range all {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
	says("/runs/"+run+"/model", "The bootstrap adds a band.", "4 knots; 0 at the median", "age, spline")
	says("/report/"+run, "age: natural cubic spline with knots", "What the curves add", "Natural cubic splines, knots at fixed quantiles", `&#34;splines&#34;`)
	bands := func() int { return strings.Count(page("/report/"+run), `class="conf" d`) } // including that of the calibration
	before := bands()
	checkTo(t, s, run)
	if after := bands(); after != before+2 {
		t.Errorf("%d bands in print before the check, %d after it", before, after)
	}
	says("/runs/"+run+"/model", "over 40 bootstrap samples", "95\u00a0% band")
	straight := runTo(t, s, fmt.Sprintf(strings.Replace(curvedSpec, `"splines":{"age":4,"chol":3},`, "", 1), id))
	says("/compare?ids="+straight+","+run, "Curves", "age with 4 knots, chol with 3 knots")
	w := ask(s, http.MethodPost, "/api/v1/runs/"+run+"/predict", `{"rows":[{"age":71,"chol":300,"sex":"m"},{"age":140,"chol":"","sex":"f"}]}`, "Content-Type: application/json")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "age 140 is outside the training range") {
		t.Errorf("scoring: %d %s", w.Code, w.Body)
	}
	if w := ask(s, http.MethodPost, "/api/v1/runs", fmt.Sprintf(strings.Replace(curvedSpec, `"kind":"linear","loss":"logistic"`, `"kind":"boost","loss":"alpha"`, 1), id), "Content-Type: application/json"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "are for linear models") {
		t.Errorf("trees: %d %s", w.Code, w.Body)
	}
}

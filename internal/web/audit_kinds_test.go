package web

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/testdata"
)

// wholePage is the text of an audit's page with its evidence shown.
func wholePage(s *Server, run string) string {
	body := ask(s, "GET", "/audit/"+run+"?blind=0", "", "Accept: text/html").Body.String()
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " ")), " ")
}

// TestAuditKinds: for every kind of model a card explains what the score consists of; the API leaves out trees and
// kernels.
func TestAuditKinds(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := byAPI(t, s, string(testdata.Read("wdbc.csv")))
	for model, want := range map[string][]string{
		`{"kind":"boost","params":{"alpha":4},"rounds":10,"depth":2}`:                                           {"TreeSHAP", "Total", "Baseline: mean of the training rows", "other columns", "ξ / median"},
		`{"kind":"kernel","loss":"hinge","kernel":{"name":"rbf","gamma":0.01},"l2":"cv","tuning":"same-folds"}`: {"median or most common level", "do not add up", "this loss does not down-weight rows", "margin for the recorded label, since this loss recovers no probability"},
	} {
		r := auditOf(t, s, `{"dataset":"`+d.ID+`","outcome":"diagnosis","positive":"malignant","task":"binary","boundaries":[0.5],"predictors":["mean_radius","mean_texture","mean_area","worst_texture","worst_area"],"model":`+model+`,"seed":3}`)
		page := wholePage(s, r.ID)
		for _, part := range append(want, "Contributes most") {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no %q", model, part)
			}
		}
		if v := auditNow(t, s, r.ID, ""); len(v.Audit.Models) > 0 {
			t.Errorf("%s: the answer holds its models", model)
		}
	}
}

// TestAuditSeveralClasses reviews labels of three classes: the trial is compared with softmax regression, a label
// is changed to a chosen class, and the child run is compared with its parent by the error rate.
func TestAuditSeveralClasses(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, string(testdata.Read("iris.csv")))
	r := auditOf(t, s, `{"dataset":"`+d.ID+`","outcome":"species","task":"multiclass","model":{"loss":"tempered-multiclass","l2":"cv","tuning":"same-folds"},"seed":3}`)
	v := auditNow(t, s, r.ID, "?sort=suspicion")
	if v.Audit.Basis != audit.ByProbability || v.Audit.Link != "escort" || v.Items[0].Relative == nil {
		t.Errorf("%+v, first %+v", v.Audit, v.Items[0])
	}
	if w := ask(s, "POST", "/audit/"+r.ID+"/try", "kind=symmetric&rate=10&seed=1", formPost); w.Code != 303 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	auditEnded(t, s, app.TrialJob(r.ID))
	page := wholePage(s, r.ID)
	for _, part := range []string{"Softmax regression", "Flip to", "Contributes most", "link: power", "Coefficient × distance"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q", part)
		}
	}
	to := "setosa"
	for _, class := range v.Audit.Classes {
		if class != v.Items[0].Label && class != v.Items[0].Other {
			to = class
		}
	}
	if w := ask(s, "POST", "/audit/"+r.ID+"/decide", "key="+v.Items[0].Key+"&decision=flip&to="+to+"&back=", formPost); w.Code != 303 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := ask(s, "POST", "/audit/"+r.ID+"/refit", "", formPost)
	child := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if got := child.Spec.Review.Changes[0].To; got != to {
		t.Errorf("flipped to %q, want %q", got, to)
	}
	beside := ask(s, "GET", "/audit/"+r.ID+"/beside/"+child.ID, "", "Accept: text/html").Body.String()
	for _, part := range []string{"Error rate of the parent", "149 rows", "Parent’s answer", "rise by construction"} {
		if !strings.Contains(beside, part) {
			t.Errorf("beside its parent: no %q", part)
		}
	}
}

// TestRowNumbers: the rows of a run, binary or multiclass, have the row number shown on pages in addition to their
// index.
func TestRowNumbers(t *testing.T) {
	s, _ := testServer(t, Config{})
	for name, spec := range map[string]string{
		"wdbc.csv": `"outcome":"diagnosis","positive":"malignant","task":"binary","model":{"loss":"logistic","l2":0.01}`,
		"iris.csv": `"outcome":"species","task":"multiclass","model":{"loss":"softmax","l2":0.01}`,
	} {
		d := byAPI(t, s, string(testdata.Read(name)))
		w := ask(s, "POST", "/api/v1/runs", `{"dataset":"`+d.ID+`",`+spec+`,"seed":3}`, script)
		var made struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
		finished(t, s, made.ID)
		records, err := csv.NewReader(ask(s, "GET", "/api/v1/runs/"+made.ID+"/rows", "").Body).ReadAll()
		if err != nil || len(records) < 100 {
			t.Fatal(err, len(records))
		}
		last := len(records[0]) - 1
		if records[0][0] != "row" || records[0][last] != "row_number" {
			t.Fatalf("%s: %q", name, records[0])
		}
		for _, r := range records[1:] {
			row, err := strconv.Atoi(r[0])
			if err != nil || r[last] != strconv.Itoa(row+1) {
				t.Fatalf("%s: %q", name, r)
			}
		}
	}
}

// TestAuditRankedBy: the page says before the ranking what the rows are ranked by, as after it.
func TestAuditRankedBy(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := byAPI(t, s, string(testdata.Read("wdbc.csv")))
	for loss, by := range map[string]string{"hinge": "margin for the recorded label", "logistic": "probability of the recorded label"} {
		w := ask(s, "POST", "/api/v1/runs", `{"dataset":"`+d.ID+`","outcome":"diagnosis","positive":"malignant","task":"binary","boundaries":[0.5],`+
			`"predictors":["mean_radius","mean_texture"],"model":{"loss":"`+loss+`","l2":0.1},"seed":3}`, script)
		var made struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
			t.Fatalf("run: %d %s", w.Code, w.Body)
		}
		r := finished(t, s, made.ID).ID
		if page := wholePage(s, r); !strings.Contains(page, "ranked by that model’s "+by) {
			t.Errorf("%s is not said to be ranked by the %s", loss, by)
		}
	}
}

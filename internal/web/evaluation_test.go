package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/testdata"
)

// halves splits the clinic's file: every other row for development, the rest for validation.
func halves() (develop, validate string) {
	lines := strings.Split(strings.TrimSpace(string(testdata.Read("heart-clinic.csv"))), "\n")
	a, b := []string{lines[0]}, []string{lines[0]}
	for i, l := range lines[1:] {
		if i%2 == 0 {
			a = append(a, l)
		} else {
			b = append(b, l)
		}
	}
	return strings.Join(a, "\n") + "\n", strings.Join(b, "\n") + "\n"
}

// developed is a server with a run on the first half; it returns the second half too.
func developed(t *testing.T, loss string) (*Server, store.Run, string) {
	t.Helper()
	s, _ := testServer(t, Config{})
	develop, validate := halves()
	return s, trained(t, s, heartSpec(bring(t, s, develop), "Half", loss, .25, .5, .75)), validate
}

var reportAt = regexp.MustCompile(`/evaluations/(e[0-9a-z]+)`)

// judgedBy sends a file to the page and returns the id of the stored validation.
func judgedBy(t *testing.T, s *Server, run, name, file string, fields ...string) string {
	t.Helper()
	w := send(t, s, "/runs/"+run+"/score", name, file, browser, append(fields, "evaluate=1")...)
	found := reportAt.FindStringSubmatch(w.Body.String())
	if w.Code != 200 || found == nil {
		t.Fatalf("%d %s", w.Code, plain(w.Body.String()))
	}
	return found[1]
}

// record is a validation as the API returns it.
type record struct {
	ID, Run, Name, File, SHA256 string
	Created                     time.Time
	N, Events                   int
	AUC                         *float64
	ObservedExpected            *float64 `json:"observed_expected"`
	Result                      external.Evaluation
}

func recordOf(t *testing.T, s *Server, id string) (v record) {
	t.Helper()
	w := ask(s, "GET", "/api/v1/evaluations/"+id, "")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return v
}

// TestEvaluationKept follows a validation from the form to the report, the list, the API and its deletion. Its
// numbers are recomputed from the scored file.
func TestEvaluationKept(t *testing.T) {
	s, r, file := developed(t, "logistic")
	id := judgedBy(t, s, r.ID, "ward B.csv", file, "by=sex")
	sum := sha256.Sum256([]byte(file))
	v := recordOf(t, s, id)
	if v.Run != r.ID || v.Name != "ward B.csv" || v.SHA256 != hex.EncodeToString(sum[:]) || v.Result.By != "sex" || len(v.Result.Subgroups) == 0 || v.Created.IsZero() {
		t.Errorf("kept as %+v", v)
	}
	n, events, expected := 0, 0, 0.0
	lines := strings.Split(strings.TrimSpace(ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict", file, "Content-Type: text/csv").Body.String()), "\n")
	head := strings.Split(lines[0], ",")
	at := map[string]int{}
	for k, name := range head {
		at[name] = k
	}
	for _, l := range lines[1:] {
		cells := strings.Split(l, ",") // the texts of warnings are last
		if cells[at["disease"]] == "" || cells[at["band"]] == "outside the data" {
			continue
		}
		var p float64
		fmt.Sscan(cells[at["probability"]], &p)
		n, expected = n+1, expected+p
		if cells[at["disease"]] == "yes" {
			events++
		}
	}
	if v.N != n || v.Events != events || math.Abs(*v.Result.Expected-expected) > 1e-9 || math.Abs(*v.ObservedExpected-float64(events)/expected) > 1e-9 {
		t.Errorf("%d rows, %d events, %v expected; by hand %d, %d, %v", v.N, v.Events, *v.Result.Expected, n, events, expected)
	}

	w := ask(s, "GET", "/evaluations/"+id, "", browser)
	text := reportWords(t, w.Body.String())
	for _, says := range []string{"External validation: ward B.csv", fmt.Sprintf("The model predicted %.0f events and %d happened (O/E ", expected, events), "AUC", "cross-validated in development",
		"Outside: evaluated rows beyond", "Intercept moved apparent", "by=sex", "No row of the file was stored", "Not a medical device"} {
		if !strings.Contains(text, says) {
			t.Errorf("the report lacks %q: %s", says, text)
		}
	}
	if body := w.Body.String(); w.Code != 200 || strings.Count(body, "<script") != 1 ||
		!strings.Contains(body, `href="/help/runs" aria-label="Help"`) || strings.Contains(body, "style=") || len(body) > 2<<20 {
		t.Errorf("%d, %d bytes", w.Code, len(body))
	}
	w = ask(s, "GET", "/api/v1/evaluations/"+id+"/report?download=1", "")
	if body := w.Body.String(); !strings.Contains(body, "<style>") || strings.Contains(body, "<link") || !strings.Contains(w.Header().Get("Content-Disposition"), id) {
		t.Errorf("as a file: %s", w.Header())
	}
	if text = plain(ask(s, "GET", "/runs/"+r.ID+"/performance", "", browser).Body.String()); !strings.Contains(text, "External validations") || !strings.Contains(text, "ward B.csv") {
		t.Error("the run's page lists no validation")
	}
	for _, id := range []string{"auc", "observed_expected"} {
		if e := v.Result.Performance.Of(id); !strings.Contains(text, format.StatisticOf(stat.ByID(id), e.Value)+" "+
			format.IntervalOf(stat.ByID(id), e, false, "\u00a0–\u2060\u00a0")) {
			t.Errorf("the list of validations has no interval of %s: %+v", id, e)
		}
	}
	w = ask(s, "GET", "/evaluations/"+id+"?counts=shown&x=1", "", browser)
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "patients may be recognised") ||
		!strings.Contains(body, `href="/evaluations/`+id+`?x=1">Mask counts of 1 to 9`) ||
		!strings.Contains(body, "?counts=shown&amp;download=1&amp;x=1") {
		t.Errorf("with small counts: %d, or its links are wrong", w.Code)
	}
	if w = ask(s, "GET", "/evaluations/"+id+"?counts=some", "", browser); w.Code != 422 {
		t.Errorf("counts=some: %d", w.Code)
	}

	// A second validation with the same file replaces the first; a renamed one keeps its name.
	if w = post(s, "/evaluations/"+id, browser, "name=Ward B, 2025"); w.Code != 303 {
		t.Errorf("rename: %d %s", w.Code, w.Body)
	}
	if again := judgedBy(t, s, r.ID, "same rows.csv", file); again != id {
		t.Errorf("kept twice: %s and %s", id, again)
	}
	if v = recordOf(t, s, id); v.Name != "Ward B, 2025" || v.File != "same rows.csv" || v.Result.By != "" {
		t.Errorf("judged again: %+v", v)
	}
	if w = ask(s, "PATCH", "/api/v1/evaluations/"+id, `{"name":""}`); w.Code != 422 {
		t.Errorf("no name: %d", w.Code)
	}
	if w = ask(s, "GET", "/evaluations/"+id+"/delete", "", browser); w.Code != 200 || !strings.Contains(plain(w.Body.String()), "Delete ‘Ward B, 2025’?") {
		t.Errorf("the question: %d", w.Code)
	}
	if w = post(s, "/evaluations/"+id+"/delete", browser); w.Code != 303 || w.Header().Get("Location") != "/runs/"+r.ID+"/performance#external-h" {
		t.Errorf("delete: %d %s", w.Code, w.Header())
	}
	for _, path := range []string{"/evaluations/" + id, "/api/v1/evaluations/" + id} {
		if w = ask(s, "GET", path, ""); w.Code != 404 {
			t.Errorf("%s after its end: %d", path, w.Code)
		}
	}
}

// TestEvaluationAPI: the answer has the id and the Location; keep=0 stores nothing.
func TestEvaluationAPI(t *testing.T) {
	s, r, file := developed(t, "interval")
	to := "/api/v1/runs/" + r.ID
	list := func() (l struct {
		Items []record
		Total int
	}) {
		if err := json.Unmarshal(ask(s, "GET", to+"/evaluations", "").Body.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if w := ask(s, "POST", to+"/predict?evaluate=1&keep=0", file, "Content-Type: text/csv"); w.Code != 200 || w.Header().Get("Location") != "" || strings.Contains(w.Body.String(), `"id"`) || list().Total != 0 {
		t.Errorf("kept against the wish: %d %s", w.Code, w.Header())
	}
	w := ask(s, "POST", to+"/predict?evaluate=1&name=ward", file, "Content-Type: text/csv")
	var v map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v", w.Code, err)
	}
	asDescribed(t, "Evaluation", v)
	id, _ := v["id"].(string)
	if id == "" || w.Header().Get("Location") != "/api/v1/evaluations/"+id || v["recalibration"] != nil || v["same"] != 0. {
		t.Errorf("%v at %s", id, w.Header())
	}
	l := list()
	if l.Total != 1 || l.Items[0].ID != id || l.Items[0].Name != "ward" || l.Items[0].ObservedExpected != nil {
		t.Errorf("the list: %+v", l)
	}
	if text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String()); strings.Contains(text, "As it is") || strings.Contains(text, "Brier score 0") || !strings.Contains(text, "gives risk bands") || strings.Contains(text, "<nil>") {
		t.Errorf("a model of bands: %s", text)
	}
	for query, field := range ordered(map[string]string{"keep=yes": "keep", "by=disease": "by", "by=ward": "by", "name=" + strings.Repeat("n", 201): "name"}) {
		var p httpio.Problem
		w := ask(s, "POST", to+"/predict?evaluate=1&"+query, file, "Content-Type: text/csv")
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%.20s: %d %+v", query, w.Code, p)
		}
	}
	if w := ask(s, "DELETE", "/api/v1/evaluations/"+id, ""); w.Code != 204 || list().Total != 0 {
		t.Errorf("delete: %d", w.Code)
	}
	if w := ask(s, "GET", "/api/v1/runs/none/evaluations", ""); w.Code != 404 {
		t.Errorf("of no run: %d", w.Code)
	}
}

// TestEvaluationOfTrainingRows: the training file, its rows in another file, and rows of a single class are no
// validation. The numbers are shown but not stored.
func TestEvaluationOfTrainingRows(t *testing.T) {
	s, r, _ := developed(t, "logistic")
	develop, _ := halves()
	lines := strings.Split(strings.TrimSpace(develop), "\n")
	shuffled := lines[0] + ",note\n" + strings.Join(lines[40:], ",x\n") + ",x\n"
	one := lines[0] + "\n"
	for _, l := range lines[1:] {
		if strings.HasSuffix(l, ",no") {
			one += strings.Replace(l, ",", ".5,", 1) + "\n"
		}
	}
	for name, x := range map[string][2]string{
		"same file":  {develop, "This is the file the model was trained on: not an external validation."},
		"other file": {shuffled, "evaluated rows are rows the model was trained on, by all predictors and the outcome: not an external validation."},
		"one class":  {one, "Only ‘no’ is present in ‘disease’: without a second class the model cannot be evaluated."},
	} {
		w := send(t, s, "/runs/"+r.ID+"/score", "x.csv", x[0], browser, "evaluate=1")
		if text := plain(w.Body.String()); w.Code != 200 || !strings.Contains(text, x[1]+" Nothing was kept.") || strings.Contains(text, "Open the report") {
			t.Errorf("%s: %d %s", name, w.Code, text)
		} else if alone := name == "one class"; alone != strings.Contains(text, "No verdict: all rows are of one class.") ||
			alone != strings.Contains(text, "no verdict") || alone == strings.Contains(text, "Brier score") {
			t.Errorf("%s: verdicts or losses without a second class, or none with it: %s", name, text)
		}
	}
	if all, err := s.db.Evaluations(context.Background(), r.ID); err != nil || len(all) != 0 {
		t.Errorf("%d kept, %v", len(all), err)
	}
}

// TestEvaluationRecalibrates makes the child runs and checks on their pages the effect on the rows they were fitted
// to.
func TestEvaluationRecalibrates(t *testing.T) {
	s, r, file := developed(t, "logistic")
	lines := strings.Split(strings.TrimSpace(file), "\n")
	var more []string // half of the non-events are left out, so the predicted risks are too low
	for i, l := range lines {
		if i == 0 || i%2 == 0 || strings.HasSuffix(l, ",yes") {
			more = append(more, l)
		}
	}
	file = strings.Join(more, "\n") + "\n"
	id := judgedBy(t, s, r.ID, "b.csv", file)
	v := recordOf(t, s, id)
	if text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String()); !strings.Contains(text, "risks are too low here.") {
		t.Errorf("verdict: %.800s", text)
	}
	for how, body := range ordered(map[string]string{"intercept": "how=intercept", "slope": "how=slope", "": "prevalence=12,5"}) {
		w := post(s, "/evaluations/"+id+"/recalibrate", browser, body)
		child, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Location"), "/runs/"), "/")
		if w.Code != 303 || child == "" {
			t.Fatalf("%s: %d %s", body, w.Code, w.Body)
		}
		o, err := s.db.RunOrigin(context.Background(), child)
		if err != nil || o.Parent != r.ID || o.Evaluation != id || o.How != how {
			t.Errorf("%s: %+v, %v", body, o, err)
		}
		page := plain(ask(s, "GET", "/runs/"+child+"/model", "", browser).Body.String())
		if !strings.Contains(page, "external validation "+id) || strings.Contains(page, "Before, and after") {
			t.Errorf("%s: the page does not say where it is from", body)
		}
		if how == "" {
			if !strings.Contains(page, "moved to another prevalence from there") {
				t.Error("another prevalence says nothing")
			}
			continue
		}
		if !strings.Contains(page, "On the file it was recalibrated by") || !strings.Contains(page, "fitted to: apparent") {
			t.Errorf("%s: no before and after", body)
		}
		to := v.Result.RecalibratedModel(how)
		if o.Intercept != to.Intercept || o.Slope != to.Slope {
			t.Errorf("%s: moved by %v, %v; fitted %v, %v", body, o.Intercept, o.Slope, to.Intercept, to.Slope)
		}
		var e external.Evaluation
		w = ask(s, "POST", "/api/v1/runs/"+child+"/predict?evaluate=1&keep=0", file, "Content-Type: text/csv")
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || math.Abs(*e.Performance.ObservedExpected.Value-1) > 1e-6 {
			t.Errorf("%s: O/E of the child on the same rows is %v, %v", body, *e.Performance.ObservedExpected.Value, err)
		}
	}
	for body, field := range ordered(map[string]string{`{"evaluation":"none","how":"slope"}`: "evaluation", `{"how":"slope"}`: "how",
		`{"evaluation":"` + id + `","how":"both"}`: "how", `{"evaluation":"` + id + `","how":"slope","slope":1}`: "how"}) {
		var p httpio.Problem
		w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/recalibrate", body, "Content-Type: application/json")
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: %d %+v", body, w.Code, p)
		}
	}
}

// TestEvaluationMasks: where a band has few events, the report shows neither them nor what reveals them; the API
// and the page of the answer do.
func TestEvaluationMasks(t *testing.T) {
	s, r, file := developed(t, "logistic")
	lines := strings.Split(strings.TrimSpace(file), "\n")
	few, left := lines[:1], 6
	for _, l := range lines[1:] {
		if strings.HasSuffix(l, ",yes") {
			if left--; left < 0 {
				continue
			}
		}
		few = append(few, l)
	}
	for range 3 {
		few = append(few, strings.TrimSuffix(lines[2], lines[2][strings.LastIndexByte(lines[2], ',')+1:])) // without the outcome
	}
	few = append(few, strings.TrimSuffix(few[len(few)-1], ",")+",strangelevel")
	id := judgedBy(t, s, r.ID, "few.csv", strings.Join(few, "\n")+"\n")
	v := recordOf(t, s, id)
	if v.Events != 6 || v.Result.NoOutcome != 3 || v.Result.Skipped != 4 {
		t.Fatalf("%d events, %d without outcome of %d", v.Events, v.Result.NoOutcome, v.Result.Skipped)
	}
	text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String())
	for _, tells := range []string{"6 happened", "Observed / expected 1", "Log-loss lower", "Scaled Brier 1", "As it is", " 6 events", "4 rows without", "3 without", "(1)", "strangelevel"} {
		if strings.Contains(text, tells) {
			t.Errorf("print tells %q: %s", tells, text)
		}
	}
	if !strings.Contains(text, "Fewer than 10 events or non-events happened") {
		t.Errorf("it does not say so: %s", text)
	}
}

// TestEvaluationOfClasses: the report of a multiclass validation.
func TestEvaluationOfClasses(t *testing.T) {
	s, _ := testServer(t, Config{})
	rows := func(from, to int) string {
		b := strings.Builder{}
		b.WriteString("age,marker,ward,grade\n")
		for i := from; i < to; i++ {
			g := (i*7 + i/3) % 3
			ward := []string{"north", "south"}[i%2]
			if i == 241 || i == 300 {
				ward = "marquee" // a level that training did not contain
			}
			fmt.Fprintf(&b, "%d,%.2f,%s,%s\n", 40+i%37, float64(g)*1.1+float64(i*37%101)/60, ward, []string{"mild", "moderate", "severe"}[g])
		}
		return b.String()
	}
	r := trained(t, s, runspec.Spec{Dataset: bring(t, s, rows(0, 240)).ID, Outcome: "grade", Task: "ordinal", Levels: []string{"mild", "moderate", "severe"},
		Model: fit.Spec{Kind: "linear", Loss: "softmax", L2: fit.L2{Value: .01}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1})
	id := judgedBy(t, s, r.ID, "grades.csv", rows(240, 420)+"50,1,north,unclear\n")
	text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String())
	for _, says := range []string{"kappa and macro F1 are masked", "Answers by true class", "in development:", "Precision", "Levels of few rows: 1 – 9", "Outside the data the model was trained on: 1 – 9 rows with a known outcome, by ‘ward’ 1 – 9."} {
		if !strings.Contains(text, says) || strings.Contains(text, "marquee") {
			t.Errorf("the report lacks %q: %s", says, text)
		}
	}
	v := recordOf(t, s, id)
	if v.N != 178 || v.Result.Outside != 2 || v.Result.Intervals == nil || v.Result.Intervals.Kappa.Low == nil {
		t.Errorf("%d rows, %+v", v.N, v.Result.Intervals)
	}
	if list := plain(ask(s, "GET", "/runs/"+r.ID+"/performance", "", browser).Body.String()); !strings.Contains(list, "grades.csv") {
		t.Error("the run's page lists no validation")
	}
	if text := post(s, "/runs/"+r.ID+"/patient", browser, "x:marker=-50").Body.String(); !strings.Contains(text, "<strong>Outside the data.</strong> marker −50 is outside") || strings.Contains(text, "<strong>mild</strong>") || !strings.Contains(text, "<p>mild is the answer for grade.</p>") {
		t.Errorf("a patient outside the data: %s", plain(text))
	}
	far := plain(send(t, s, "/runs/"+r.ID+"/score", "far.csv", "age,marker,ward\n50,1,north\n50,-50,north\n", browser, "do=look").Body.String())
	for _, says := range []string{"1 row lies outside the data the model was trained on: it gets a score but no answer.", "Outside the data 1 50.0", "2 outside the data –", "The model’s answer for rows outside the data Row Answer 2 mild"} {
		if !strings.Contains(far, says) {
			t.Errorf("a file with a row outside the data: no %q: %s", says, far)
		}
	}
	if w := post(s, "/evaluations/"+id+"/recalibrate", browser, "how=slope"); w.Code != 422 {
		t.Errorf("recalibrated: %d", w.Code)
	}
}

// TestEvaluationOfKeptModel: a model kept without its data can be validated; earlier validations stay, and the
// report says what is no longer known.
func TestEvaluationOfKeptModel(t *testing.T) {
	s, r, file := developed(t, "logistic")
	before := judgedBy(t, s, r.ID, "before.csv", file)
	if w := ask(s, "DELETE", "/api/v1/datasets/"+r.Dataset+"?models=keep", ""); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	after := judgedBy(t, s, r.ID, "after.csv", file+"\n")
	for _, id := range []string{before, after} {
		v := recordOf(t, s, id)
		text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String())
		if !strings.Contains(text, "in development:") || !strings.Contains(text, "kept without its data") || strings.Contains(text, "could not be checked") != (id == after) || (v.Result.Same == nil) != (id == after) {
			t.Errorf("%s: %s", v.File, text)
		}
	}
	w := post(s, "/evaluations/"+after+"/recalibrate", browser, "how=intercept")
	child, _, _ := strings.Cut(w.Header().Get("Location"), "#")
	if page := plain(ask(s, "GET", child, "", browser).Body.String()); w.Code != 303 || !strings.Contains(page, "On the file it was recalibrated by") {
		t.Errorf("the child: %d %s", w.Code, page)
	}
	id := judgedBy(t, s, strings.TrimSuffix(strings.TrimPrefix(child, "/runs/"), "/model"), "third.csv", file)
	if text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String()); !strings.Contains(text, "(O/E 1.00") {
		t.Errorf("of the child: %s", text)
	}
}

// TestEvaluationHostile: names from a file are escaped everywhere.
func TestEvaluationHostile(t *testing.T) {
	s, _ := testServer(t, Config{})
	develop, validate := halves()
	evil := `"</script><img src=x onerror=alert(1)>"`
	level := strings.NewReplacer(",f,", ",<img src=x>,", ",m,", ",<b>m</b>,")
	dirty := func(file string) string { return level.Replace(strings.Replace(file, "troponin", evil, 1)) }
	r := trained(t, s, heartSpec(bring(t, s, dirty(develop)), runHostile, "logistic", .25, .5, .75))
	id := judgedBy(t, s, r.ID, `<img src=x onerror=alert(1)>.csv`, dirty(validate), "by=sex")
	for _, path := range []string{"/evaluations/" + id, "/evaluations/" + id + "?download=1", "/evaluations/" + id + "/delete", "/runs/" + r.ID + "/performance"} {
		body := ask(s, "GET", path, "", browser).Body.String()
		if strings.Contains(body, "<img") || strings.Contains(body, "<b>m") || !strings.Contains(body, "&lt;img") {
			t.Errorf("%s: a name is markup", path)
		}
	}
	if text := reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String()); !strings.Contains(text, `@'<img src=x onerror=alert(1)>.csv'`) {
		t.Errorf("the call does not quote the file: %s", text)
	}
}

// evaluationSections are the sections of the report, in order.
var evaluationSections = []string{"Verdict", "Strata", "Main limits", "Data", "Performance", "Classification", "Recalibration", "Subgroups", "Limits", "Reproduce this evaluation", "Masks"}

// TestEvaluationLook validates a file in the browser, opens the report, and prints it on A4 and Letter.
func TestEvaluationLook(t *testing.T) {
	inBrowser(t)
	s, r, file := developed(t, "logistic")
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	path := filepath.Join(t.TempDir(), "ward-b.csv")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("/runs/" + r.ID + "/patients")
	b.click(`#score-evaluate`)
	b.exec(`document.getElementById('score-by').value = 'sex'`)
	b.do(chromedp.SetUploadFiles(`#score input[type="file"]`, []string{path}))
	b.wait(`document.querySelector('#judged a[href^="/evaluations/"]')`)
	b.click(`#judged a[href^="/evaluations/"]`)
	b.wait(`location.pathname.startsWith('/evaluations/') && document.getElementById('tools-h')`)
	id := strings.TrimPrefix(eval[string](b, "location.pathname"), "/evaluations/")
	everyLook(b, "evaluation", "/evaluations/"+id)
	for paper, size := range map[string][2]float64{"A4": {8.27, 11.69}, "Letter": {8.5, 11}} {
		on, off := true, false
		b.look(680, "light")
		b.open("/evaluations/" + id)
		out, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: size[0], PaperHeight: size[1], PreferCSSPageSize: &off, PrintBackground: &on})
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.Data, []byte("/MediaBox")); n < 2 || n > 8 || len(out.Data) > 2<<20 {
			t.Errorf("%s: %d pages, %d bytes", paper, n, len(out.Data))
		}
		keepShot(t, "evaluation-"+paper+".pdf", out.Data)
		words := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(pdfText(t, out.Data))
		for at, k := 0, 0; words != "" && k < len(evaluationSections); k++ {
			next := strings.Index(words[at:], evaluationSections[k])
			if next < 0 {
				t.Fatalf("%s: no section %s after the one before", paper, evaluationSections[k])
			}
			at += next
		}
		if strings.Contains(words, "Next steps") {
			t.Errorf("%s prints the buttons", paper)
		}
	}
	b.look(1280, "light")
	b.open("/evaluations/" + id)
	b.exec(`[...document.querySelectorAll('.desk-tools button')].find((b) => b.textContent.includes('intercept and slope')).click()`)
	b.wait(`location.pathname.startsWith('/runs/') && document.getElementById('population-h')`)
	if text := b.text("main"); !strings.Contains(text, "On the file it was recalibrated by") {
		t.Errorf("the child: %.400s", text)
	}
	everyLook(b, "evaluation-child", eval[string](b, "location.pathname"))
}

// keepShot saves a file beside the screenshots, in the folder TAPER_SHOTS.
func keepShot(t *testing.T, name string, data []byte) {
	t.Helper()
	if dir := os.Getenv("TAPER_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

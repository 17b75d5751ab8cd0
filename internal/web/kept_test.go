package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// rareCell and lastCell are cells of single rows: a level too rare for a term of its own, and the largest number of
// a column.
const (
	rareCell = "zq-rare-4410"
	lastCell = "98765.4321"
)

// wardCSV is a table with all kinds of values that a kept model must not contain.
func wardCSV(n int) string {
	rng := rand.New(rand.NewPCG(4, 1))
	var b strings.Builder
	b.WriteString("age,marker,ward,note,stage,disease\n")
	for i := range n {
		ward, marker, sick, stage := []string{"north", "south", "east"}[i%3], fmt.Sprintf("%.3f", 5+rng.NormFloat64()), "no", "I"
		x := rng.NormFloat64()
		if x > 0.2 {
			sick = "yes"
		}
		if x > 0 {
			stage = "II"
		}
		if x > 0.9 {
			stage = "III"
		}
		switch i {
		case 7:
			ward = rareCell
		case 8:
			marker = lastCell
		case 9:
			sick = canary + "-label"
		}
		fmt.Fprintf(&b, "%.1f,%s,%s,%s text %d,%s,%s\n", 50+12*(x+rng.NormFloat64()), marker, ward, canary, i, stage, sick)
	}
	return b.String()
}

// wardRuns uploads the file and makes a run of every kind: bands; logistic regression with an audit, a decision, a
// bootstrap and a child run on reviewed labels; several classes; and a kernel.
func wardRuns(t *testing.T, s *Server) (d store.Dataset, bands, logistic, child, several, kernel store.Run) {
	t.Helper()
	d = bring(t, s, wardCSV(240))
	spec := heartSpec(d, "Bands", "interval", .1, .3, .6, .9)
	spec.Negative, spec.Predictors = table.Levels{"no"}, []string{"age", "marker", "ward"}
	bands = trained(t, s, spec)
	spec.Name, spec.Model.Loss = "Logistic", "logistic"
	spec.Task = "binary"
	logistic = trained(t, s, spec)
	if w := ask(s, "POST", "/audit/"+logistic.ID, "", formPost); w.Code != 303 {
		t.Fatalf("audit: %d %s", w.Code, w.Body)
	}
	auditEnded(t, s, app.AuditJob(logistic.ID))
	key := auditNow(t, s, logistic.ID, "").Items[0].Key
	if w := post(s, "/audit/"+logistic.ID+"/decide", browser, "key="+key, "decision=flip", "note="+canary); w.Code >= 400 {
		t.Fatalf("decide: %d %s", w.Code, plain(w.Body.String()))
	}
	c, err := s.app.StartReviewed(context.Background(), logistic)
	if err != nil {
		t.Fatal(err)
	}
	child = finished(t, s, c.ID)
	if w := post(s, "/runs/"+logistic.ID+"/bootstrap", browser, "replicates=20"); w.Code != 303 {
		t.Fatalf("check: %d %s", w.Code, w.Body)
	}
	auditEnded(t, s, app.BootstrapJob(logistic.ID))
	several = trained(t, s, runspec.Spec{Name: "Stages", Dataset: d.ID, Outcome: "stage", Predictors: []string{"age", "marker", "ward"}, Task: "multiclass",
		Model: fit.Spec{Kind: "linear", Loss: "softmax", L2: fit.L2{Value: 0.01}}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 7})
	spec.Name, spec.Task, spec.Model = "Kernel", "interval", fit.Spec{Kind: "kernel", Loss: "interval", L2: fit.L2{Value: 0.01}, Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.2}}
	kernel = trained(t, s, spec)
	return
}

// newcomers are rows to score: ordinary ones, a rare level, values outside the range, missing values.
const newcomers = "age,marker,ward\n44,5.1,north\n61.5,4.2,south\n50," + lastCell + ",east\n38,5," + rareCell + "\n,,\n"

// scores removes the last column, the warnings, since a kept model may warn more.
func scores(csv string) string { return regexp.MustCompile(`(?m),[^,\n]*$`).ReplaceAllString(csv, "") }

// sameScores reports whether two files of scored rows are equal. A kept model has no scale of a rare group, so its
// scores may differ in the last digits.
func sameScores(a, b string) bool {
	x, y := strings.FieldsFunc(scores(a), commaOrLine), strings.FieldsFunc(scores(b), commaOrLine)
	return slices.EqualFunc(x, y, func(x, y string) bool {
		v, err := strconv.ParseFloat(x, 64)
		w, fault := strconv.ParseFloat(y, 64)
		return x == y || err == nil && fault == nil && math.Abs(v-w) <= 1e-9*max(1, math.Abs(v))
	})
}

func commaOrLine(r rune) bool { return r == ',' || r == '\n' }

// TestKeepModels deletes data and keeps models: nothing of a row remains, and the models give the same predictions.
func TestKeepModels(t *testing.T) {
	s, log := testServer(t, Config{})
	d, bands, logistic, child, several, kernel := wardRuns(t, s)
	all := []string{bands.ID, logistic.ID, child.ID, several.ID}
	before := map[string]string{}
	for _, id := range all {
		before[id] = ask(s, "POST", "/api/v1/runs/"+id+"/predict", newcomers, "Content-Type: text/csv").Body.String()
	}
	page := ask(s, "GET", "/data/"+d.ID+"/delete", "", browser).Body.String()
	for _, says := range []string{"The file, its 5 runs and their rows are wiped", "The models of 4 runs can be kept", "Names of columns and levels stay in the model", "A kernel model is a sum over rows and cannot be kept (1 run).",
		"Keep everything", "Keep the models, delete the data", "Delete file and 5 runs"} {
		if !strings.Contains(plain(page), says) {
			t.Errorf("the question does not say %q: %s", says, plain(page))
		}
	}
	for _, text := range []string{canary, rareCell, lastCell} {
		if len(found(t, s.db.Dir(), text)) == 0 {
			t.Fatalf("%s was never there", text)
		}
	}
	w := post(s, "/data/"+d.ID+"/delete", browser, "models=keep")
	if w.Code != 303 || w.Header().Get("Location") != "/runs?dataset="+d.ID {
		t.Fatalf("%d to %q: %s", w.Code, w.Header().Get("Location"), log)
	}
	for _, text := range []string{canary, rareCell, lastCell} {
		nowhere(t, s.db.Dir(), text)
		if strings.Contains(log.String(), text) {
			t.Errorf("%s is in the log", text)
		}
	}
	for _, id := range all {
		after := ask(s, "POST", "/api/v1/runs/"+id+"/predict", newcomers, "Content-Type: text/csv").Body.String()
		if !sameScores(after, before[id]) || !strings.Contains(after, "score") {
			t.Errorf("%s scored\n%s\nand scores\n%s", id, before[id], after)
		}
		keptPages(t, s, id)
		keptRefuses(t, s, id)
	}
	if w := ask(s, "GET", "/runs/"+kernel.ID, "", browser); w.Code != 404 {
		t.Errorf("the kernel run: %d", w.Code)
	}
	if w := ask(s, "GET", "/data/"+d.ID, "", browser); w.Code != 404 {
		t.Errorf("the data: %d", w.Code)
	}
	keptJSON(t, s, logistic)
	if keptJSON(t, s, bands) == 0 {
		t.Error("no band of any run is masked: the test sees nothing")
	}
	all = append(all, keptMoves(t, s, logistic.ID))
	if found(t, s.db.Dir(), canary) != nil {
		t.Error("an evaluation or a recalibration brought the canary back")
	}
	if text := plain(ask(s, "GET", "/report/"+logistic.ID, "", browser).Body.String()); !strings.Contains(text, "20 refits") || !strings.Contains(text, "deleted ") || !strings.Contains(text, "(other)") {
		t.Errorf("the report lost what the refits found, the date or a line of Table 1: %s", text)
	}
	for _, id := range all {
		if w := post(s, "/runs/"+id+"/delete", browser); w.Code != 303 {
			t.Errorf("delete %s: %d", id, w.Code)
		}
	}
	if list := ask(s, "GET", "/runs", "", browser).Body.String(); strings.Contains(list, "data deleted") {
		t.Error("a run is still listed")
	}
}

var link = regexp.MustCompile(`href="(/[^"#]*)`)

// keptPages opens the pages of a run without data, and every link on them.
func keptPages(t *testing.T, s *Server, id string) {
	t.Helper()
	opened := map[string]bool{}
	for path, says := range map[string]string{"/runs": "data deleted", "/runs/" + id: "The model was kept, its data were deleted", "/report/" + id: "Contains no row-level data",
		"/report/" + id + "?download=1": "Contains no row-level data", "/api/v1/runs/" + id + "/report": "Reproduce this run", "/runs/" + id + "/delete": "the data are gone already",
		"/runs/" + id + "/performance": "External validations", "/runs/" + id + "/model": "Settings",
		"/runs/" + id + "/patients": "Nothing you enter is stored"} {
		w := ask(s, "GET", path, "", browser)
		body := w.Body.String()
		if w.Code != 200 || !strings.Contains(plain(body), says) {
			t.Errorf("%s: %d, without %q: %.300s", path, w.Code, says, plain(body))
		}
		for _, m := range link.FindAllStringSubmatch(body, -1) {
			to := strings.ReplaceAll(m[1], "&amp;", "&")
			if opened[to] || strings.HasPrefix(to, "/static/") {
				continue
			}
			opened[to] = true
			if w := ask(s, "GET", to, "", browser); w.Code >= 400 && w.Code != 405 {
				t.Errorf("%s links to %s: %d", path, to, w.Code)
			}
		}
	}
	if w := post(s, "/runs/"+id+"/patient", browser, "x:age=44", "x:marker=5.1", "x:ward=north"); w.Code != 200 {
		t.Errorf("one patient: %d %s", w.Code, plain(w.Body.String()))
	}
}

// keptRefuses: requests that need the rows are refused with a clear message.
func keptRefuses(t *testing.T, s *Server, id string) {
	t.Helper()
	for _, r := range [][2]string{{"GET", "/api/v1/runs/" + id + "/rows?format=csv"}, {"GET", "/api/v1/runs/" + id + "/audit"}, {"GET", "/audit/" + id}, {"POST", "/audit/" + id},
		{"GET", "/compare?ids=" + id + "," + id}, {"GET", "/api/v1/compare?ids=" + id}, {"POST", "/runs/" + id + "/again"},
		{"POST", "/api/v1/runs/" + id + "/bootstrap"}, {"GET", "/api/v1/runs/" + id + "/bootstrap"}} {
		w := ask(s, r[0], r[1], map[string]string{"POST": "{}"}[r[0]], script)
		if strings.HasPrefix(r[1], "/audit") && r[0] == "POST" {
			w = post(s, r[1], browser)
		}
		if text := w.Body.String(); w.Code != 409 && w.Code != 422 || strings.Contains(r[1], "audit") && !strings.Contains(text, "were deleted on") {
			t.Errorf("%s %s: %d %.300s", r[0], r[1], w.Code, text)
		}
	}
}

// keptJSON checks the numbers that are kept: none of a single row, and no small count. It returns the number of
// masked bands.
func keptJSON(t *testing.T, s *Server, was store.Run) (masked int) {
	t.Helper()
	body := ask(s, "GET", "/api/v1/runs/"+was.ID, "").Body.String()
	var v struct {
		Deleted string `json:"data_deleted"`
		Strata  []struct {
			N, Events *int
			Masked    bool
		}
		PCA     any
		Table1  []any
		Density []any
		Metrics struct{ Test struct{ AUC *float64 } }
		Spec    struct{ Review *runspec.Review }
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	if v.Deleted == "" || v.PCA != nil || len(v.Table1) > 0 || len(v.Density) > 0 || v.Metrics.Test.AUC == nil || len(v.Strata) != len(was.Result.Strata) {
		t.Errorf("%s", body)
	}
	for _, b := range v.Strata {
		if b.Masked {
			masked++
		}
		if b.Masked != (b.N == nil) || b.N != nil && *b.N > 0 && *b.N < 10 || b.Events != nil && *b.Events > 0 && *b.Events < 10 {
			t.Errorf("a small count: %s", body)
		}
	}
	return masked
}

// keptMoves validates a kept model on a new file and recalibrates it: model.json of the new run predicts logit P =
// a + b · logit p.
func keptMoves(t *testing.T, s *Server, id string) string {
	t.Helper()
	w := ask(s, "POST", "/api/v1/runs/"+id+"/predict?evaluate=1", strings.ReplaceAll(wardCSV(90), canary+"-label", "no"), "Content-Type: text/csv")
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"strata"`) {
		t.Errorf("evaluate: %d %.300s", w.Code, w.Body)
	}
	w = ask(s, "POST", "/api/v1/runs/"+id+"/recalibrate", `{"intercept":-0.5,"slope":0.8}`, script)
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 {
		t.Fatalf("recalibrate: %d %s", w.Code, w.Body)
	}
	odds := func(id string) (logit []float64) {
		var v struct {
			Rows []struct{ Probability float64 }
		}
		w := ask(s, "POST", "/api/v1/runs/"+id+"/predict", `{"rows":[{"age":44,"marker":5.1,"ward":"north"},{"age":70,"ward":"south"}]}`, "Content-Type: application/json")
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || len(v.Rows) != 2 {
			t.Fatalf("%v %s", err, w.Body)
		}
		for _, r := range v.Rows {
			logit = append(logit, math.Log(r.Probability/(1-r.Probability)))
		}
		return logit
	}
	was, is := odds(id), odds(made.ID)
	for i := range was {
		if want := -0.5 + 0.8*was[i]; math.Abs(is[i]-want) > 1e-9 {
			t.Errorf("logit %v became %v, want %v", was[i], is[i], want)
		}
	}
	if w := ask(s, "POST", "/api/v1/runs/"+id+"/recalibrate", `{"prevalence":0.2}`, script); w.Code != 201 {
		t.Errorf("by prevalence: %d %s", w.Code, w.Body)
	} else if err := json.Unmarshal(w.Body.Bytes(), &made); err == nil {
		post(s, "/runs/"+made.ID+"/delete", browser)
	}
	return childOf(t, s, id)
}

// childOf is the run made from another.
func childOf(t *testing.T, s *Server, parent string) string {
	t.Helper()
	runs, _, err := s.db.Runs(context.Background(), store.RunFilter{Query: "recalibrated"})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if text := runText(t, s, runs[0].ID); !strings.Contains(text, "this model was not evaluated") || !strings.Contains(text, "made from run "+parent) {
		t.Errorf("the page of the recalibrated run: %s", text)
	}
	keptPages(t, s, runs[0].ID)
	return runs[0].ID
}

// TestKeptPageIsInert: a name that is markup is escaped in the stored report.
func TestKeptPageIsInert(t *testing.T) {
	s, _ := testServer(t, Config{})
	const evil = `<img src=x onerror=alert(1)>`
	d := bring(t, s, strings.NewReplacer("marker", evil, ",m,", ","+evil+",").Replace(trialCSV(120)))
	spec := heartSpec(d, evil, "logistic", .4)
	spec.Predictors = []string{"age", "sex", evil}
	r := trained(t, s, spec)
	if w := post(s, "/data/"+d.ID+"/delete", browser, "models=keep"); w.Code != 303 {
		t.Fatalf("%d", w.Code)
	}
	for _, path := range []string{"/runs/" + r.ID, "/runs/" + r.ID + "/model", "/runs/" + r.ID + "/patients", "/report/" + r.ID, "/report/" + r.ID + "?download=1", "/runs"} {
		if html := ask(s, "GET", path, "", browser).Body.String(); strings.Contains(html, "<img") || !strings.Contains(html, "&lt;img") {
			t.Errorf("%s shows a name as markup, or not at all", path)
		}
	}
}

// TestKeepModelsByAPI: deleting all is the default, and models that cannot be kept are refused before anything is
// deleted.
func TestKeepModelsByAPI(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	path := "/api/v1/datasets/" + d.ID
	for query, status := range map[string]int{"?models=perhaps": 422, "?models=keep": 409} {
		if w := ask(s, "DELETE", path+query, ""); w.Code != status {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	spec := heartSpec(d, "", "interval", .3)
	spec.Model = fit.Spec{Kind: "kernel", Loss: "interval", L2: fit.L2{Value: 0.01}, Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.05}}
	kernel := trained(t, s, spec)
	if text := plain(ask(s, "GET", "/data/"+d.ID+"/delete", "", browser).Body.String()); strings.Contains(text, "Keep the model") || !strings.Contains(text, "A kernel model is a sum over rows") {
		t.Errorf("a kernel model alone: %s", text)
	}
	if w := ask(s, "DELETE", path+"?models=keep", ""); w.Code != 409 || !strings.Contains(w.Body.String(), "Nothing was deleted") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	linear := trained(t, s, heartSpec(d, "", "interval", .3))
	w := ask(s, "DELETE", path+"?models=keep", "")
	if w.Code != 200 || strings.TrimSpace(w.Body.String()) != `{"kept":["`+linear.ID+`"]}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for path, status := range map[string]int{path: 404, "/api/v1/runs/" + kernel.ID: 404, "/api/v1/runs/" + linear.ID: 200} {
		if w := ask(s, "GET", path, ""); w.Code != status {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := ask(s, "DELETE", path, ""); w.Code != 404 {
		t.Errorf("deleted twice: %d", w.Code)
	}
	d = heart(t, s)
	gone := trained(t, s, heartSpec(d, "", "interval", .3))
	if w := ask(s, "DELETE", "/api/v1/datasets/"+d.ID, ""); w.Code != 204 || w.Body.Len() > 0 {
		t.Errorf("the default: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "GET", "/api/v1/runs/"+gone.ID, ""); w.Code != 404 {
		t.Errorf("its run: %d", w.Code)
	}
}

// TestKeptReviewStaysApart: a run on reviewed labels is marked in lists and has no peers on the labels as uploaded, also
// once its data, and with them the changes, are deleted; an id of the review need not have been given.
func TestKeptReviewStaysApart(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	parent := trained(t, s, heartSpec(d, "", "interval", .3))
	spec := heartSpec(d, "", "interval", .3)
	spec.Review = &runspec.Review{Changes: []runspec.Relabel{{Row: 3}}}
	first := trained(t, s, spec)
	spec.Review = &runspec.Review{ID: "v2", Parent: parent.ID, Changes: []runspec.Relabel{{Row: 4}}}
	second := trained(t, s, spec)
	for _, kept := range []bool{false, true} {
		if kept {
			if _, err := s.app.KeepModels(t.Context(), d.ID); err != nil {
				t.Fatal(err)
			}
		}
		list, _, err := s.db.Runs(t.Context(), store.RunFilter{Dataset: d.ID})
		if err != nil || len(list) != 3 {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		peers, err := s.db.Peers(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		caveats := map[string]string{parent.ID: "", first.ID: store.ReviewedLabels, second.ID: store.ReviewedLabels}
		for _, r := range list {
			if got := r.Summary.Caveat; got != caveats[r.ID] || peers[r.ID].N != 1 {
				t.Errorf("kept %t: caveat %q, want %q; peers %+v", kept, got, caveats[r.ID], peers[r.ID])
			}
		}
	}
}

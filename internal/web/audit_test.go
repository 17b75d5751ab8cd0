package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"mime/multipart"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/api"
)

// formPost is the header of a form.
const formPost = "Content-Type: application/x-www-form-urlencoded"

// auditedRun makes a run of the shipped cancer data and the audit of its labels.
func auditedRun(t *testing.T, s *Server) store.Run {
	t.Helper()
	data, err := os.ReadFile("../../testdata/csv/wdbc.csv")
	if err != nil {
		t.Fatal(err)
	}
	d := byAPI(t, s, string(data))
	return auditOf(t, s, `{"dataset":"`+d.ID+`","outcome":"diagnosis","positive":"malignant","task":"binary","model":{"loss":"alpha","params":{"alpha":4},"l2":"cv","tuning":"same-folds"},"seed":3}`)
}

func auditOf(t *testing.T, s *Server, spec string) store.Run {
	t.Helper()
	w := ask(s, "POST", "/api/v1/runs", spec, script)
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 202 {
		t.Fatalf("run: %d %s", w.Code, w.Body)
	}
	r := finished(t, s, made.ID)
	if w := ask(s, "POST", "/audit/"+r.ID, "", formPost); w.Code != 303 {
		t.Fatalf("start: %d %s", w.Code, w.Body)
	}
	auditEnded(t, s, app.AuditJob(r.ID))
	return r
}

// TestDecisionsOfOtherRows: decisions that a run made on other rows of the same file, as of another sheet, neither change
// nor count in this one, and a decision follows its row when it stands elsewhere.
func TestDecisionsOfOtherRows(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	queue, err := s.app.Reviewed(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	row := queue.Audit.Rows[5].Row
	label, other := queue.Label(row), "malignant"
	if label == other {
		other = "benign"
	}
	if err := s.db.Decide(t.Context(), queue.Labels, r.ID,
		audit.Decision{Key: audit.Key{1, 2, 3}, Row: 17, Kind: audit.Flip, Label: label, To: other},
		audit.Decision{Key: queue.Audit.Keys[5], Row: row + 1, Kind: audit.Flip, Label: label, To: other}); err != nil {
		t.Fatal(err)
	}
	if n := auditNow(t, s, r.ID, "").Review; n.Reviewed != 1 || n.Errors != 1 {
		t.Errorf("%+v are counted, want the one of these rows", n)
	}
	child, err := s.app.StartReviewed(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := child.Spec.Review.Changes, (runspec.Relabel{Row: row, To: other}); len(got) != 1 || got[0] != want {
		t.Errorf("%+v are changed, want %+v", got, want)
	}
}

// auditEnded waits for a job.
func auditEnded(t *testing.T, s *Server, id string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), testtime.Hang)
	defer stop()
	states, err := s.app.Jobs.Watch(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for e := range states {
		if e.Err != nil {
			t.Fatal(e.Err)
		}
	}
}

func auditNow(t *testing.T, s *Server, run, query string) api.Audit {
	t.Helper()
	w := ask(s, "GET", "/api/v1/runs/"+run+"/audit"+query, "")
	asDescribed(t, "Audit", decoded(t, w.Body.Bytes()))
	var v api.Audit
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return v
}

// TestAuditReview is a review without scripts: rank, decide by forms, undo, export, import, fit the child run, and
// compare it with its parent.
func TestAuditReview(t *testing.T) {
	s, log := testServer(t, Config{})
	r := auditedRun(t, s)
	page := ask(s, "GET", "/audit/"+r.ID, "", "Accept: text/html")
	if page.Code != 200 || !strings.Contains(page.Body.String(), `id="card"`) || !strings.Contains(page.Body.String(), "would be expected from overlapping classes alone.") || !strings.Contains(page.Body.String(), "cannot be ruled out.") {
		t.Fatalf("%d %.2000s", page.Code, page.Body)
	}
	v := auditNow(t, s, r.ID, "?sort=suspicion&limit=600")
	if v.Status != "done" || v.Total != 569 || len(v.Items) != 569 || *v.Items[0].Suspicion < *v.Items[568].Suspicion || v.Items[0].Decision != "" {
		t.Fatalf("%+v", v)
	}
	first := v.Items[0]
	decide := func(key, kind, note string) string {
		t.Helper()
		form := url.Values{"key": {key}, "decision": {kind}, "note": {note}, "back": {"/audit/" + r.ID + "?sort=suspicion"}}
		w := ask(s, "POST", "/audit/"+r.ID+"/decide", form.Encode(), formPost)
		if w.Code != 303 {
			t.Fatalf("decide: %d %s", w.Code, w.Body)
		}
		return w.Header().Get("Location")
	}
	to := decide(first.Key, "flip", "canary-note-77 =1+1")
	if !strings.Contains(to, "row="+strconv.Itoa(v.Items[1].Row+1)) || !strings.HasSuffix(to, "#card") {
		t.Errorf("after a decision the page goes to %s, not to row %d", to, v.Items[1].Row+1)
	}
	decide(v.Items[1].Key, "exclude", "")
	decide(v.Items[2].Key, "unsure", "")
	decide(v.Items[3].Key, "keep", "")
	decide(v.Items[3].Key, "flip", "")
	if w := ask(s, "POST", "/audit/"+r.ID+"/undo", "back="+url.QueryEscape("/audit/"+r.ID), formPost); w.Code != 303 || !strings.Contains(w.Header().Get("Location"), "row="+strconv.Itoa(v.Items[3].Row+1)) {
		t.Errorf("undo: %d %s", w.Code, w.Header().Get("Location"))
	}
	got := auditNow(t, s, r.ID, "?sort=suspicion&limit=4")
	if got.Review.Reviewed != 4 || got.Review.Errors != 1 || got.Items[0].Decision != audit.Flip || got.Items[0].To != first.Other || got.Items[0].Label != first.Label || got.Items[3].Decision != audit.Keep {
		t.Errorf("%+v %+v", got.Review, got.Items)
	}
	s.auditFiles(t, r, v)
	s.auditChild(t, r, v)
	if strings.Contains(log.String(), "canary-note-77") || strings.Contains(log.String(), first.Key) {
		t.Error("the log names a row or a note")
	}
}

// TestNoteAndDecisionAtOnce: a note without a decision that is stored at the same time as a decision does not take it
// back.
func TestNoteAndDecisionAtOnce(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	const rows = 40
	var all sync.WaitGroup
	for _, row := range auditNow(t, s, r.ID, "?limit=40").Items {
		for _, kind := range []string{"", "flip"} {
			all.Go(func() {
				form := url.Values{"key": {row.Key}, "decision": {kind}, "note": {"a note"}}
				if w := ask(s, "POST", "/audit/"+r.ID+"/decide", form.Encode(), formPost); w.Code != 303 {
					t.Errorf("%q: %d %s", kind, w.Code, w.Body)
				}
			})
		}
	}
	all.Wait()
	if n := auditNow(t, s, r.ID, "").Review.Reviewed; n != rows {
		t.Errorf("%d of %d decisions are kept", n, rows)
	}
}

// TestBlindDecisions: only the first decision about a row is made without the evidence of the model, which is shown from
// then on; a note leaves that as it was.
func TestBlindDecisions(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	key := auditNow(t, s, r.ID, "?limit=1").Items[0].Key
	queue, err := s.app.Reviewed(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		decision, note, back string
		blind                bool
	}{
		{"", "only a note", "", false}, // no decision yet
		{"unsure", "", "", true},
		{"", "a note beside the evidence", "?blind=0", true},
		{"unsure", "the same again", "", true},
		{"flip", "", "", false},
		{"", "another note", "", false},
		{"unsure", "", "", false},
	} {
		form := url.Values{"key": {key}, "decision": {step.decision}, "note": {step.note}, "back": {step.back}}
		if w := ask(s, "POST", "/audit/"+r.ID+"/decide", form.Encode(), formPost); w.Code != 303 {
			t.Fatalf("step %d: %d %s", i, w.Code, w.Body)
		}
		all, err := s.app.Decisions(t.Context(), queue)
		if err != nil || len(all) != 1 {
			t.Fatalf("step %d: %v %v", i, all, err)
		}
		if got := all[0].Blind && all[0].Kind != ""; got != step.blind {
			t.Errorf("step %d: the decision counts as made without the evidence: %v", i, got)
		}
	}
}

// auditFiles exports the review and, after an undo, imports it.
func (s *Server) auditFiles(t *testing.T, r store.Run, v api.Audit) {
	w := ask(s, "GET", "/audit/"+r.ID+"/review.csv", "")
	file := w.Body.String()
	records, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(records) != 570 || records[1][0] != strconv.Itoa(v.Items[0].Row+1) || records[1][1] != strconv.Itoa(v.Items[0].Row) || records[1][3] != "flip" || records[1][9] != v.Items[0].Key {
		t.Fatalf("%v, %d lines, %q", err, len(records), records[1])
	}
	for range 4 {
		ask(s, "POST", "/api/v1/runs/"+r.ID+"/audit", `{"undo":true}`, script)
	}
	if got := auditNow(t, s, r.ID, ""); got.Review.Reviewed != 0 {
		t.Fatalf("after four undos %+v", got.Review)
	}
	if w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/audit", `{"undo":true}`, script); w.Code != 409 {
		t.Errorf("a fifth undo: %d", w.Code)
	}
	to := ""
	bring := func(text string) int {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		part, _ := m.CreateFormFile("file", "review.csv")
		_, _ = part.Write([]byte(text))
		m.Close()
		w := ask(s, "POST", "/audit/"+r.ID+"/review", b.String(), "Content-Type: "+m.FormDataContentType())
		to = w.Header().Get("Location")
		return w.Code
	}
	if code := bring(strings.Replace(file, ",flip,", ",turn,", 1)); code != 422 {
		t.Errorf("a decision that does not exist: %d", code)
	}
	if code := bring(strings.Replace(file, v.Items[1].Key, strings.Repeat("0", 32), 1)); code != 404 {
		t.Errorf("a row that does not exist: %d", code)
	}
	if got := auditNow(t, s, r.ID, ""); got.Review.Reviewed != 0 {
		t.Error("a file with an error stored something")
	}
	for _, want := range []string{"4 decisions imported.", "The file changes nothing."} {
		if code := bring(file); code != 303 {
			t.Errorf("import: %d", code)
		}
		if page := ask(s, "GET", to, "", "Accept: text/html").Body.String(); !strings.Contains(page, want) {
			t.Errorf("after an import %s does not say %q", to, want)
		}
	}
	got := auditNow(t, s, r.ID, "?sort=suspicion&limit=4")
	if got.Review.Reviewed != 4 || got.Items[0].Note != "canary-note-77 =1+1" || got.Items[1].Decision != audit.Exclude {
		t.Errorf("after the import %+v %+v", got.Review, got.Items)
	}
}

// auditChild fits on the reviewed labels.
func (s *Server) auditChild(t *testing.T, r store.Run, v api.Audit) {
	w := ask(s, "POST", "/audit/"+r.ID+"/refit", "", formPost)
	child := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	want := []runspec.Relabel{{Row: v.Items[0].Row, To: v.Items[0].Other}, {Row: v.Items[1].Row}}
	slices.SortFunc(want, func(a, b runspec.Relabel) int { return a.Row - b.Row })
	if child.Spec.Review.Parent != r.ID || !slices.Equal(child.Spec.Review.Changes, want) || child.Result.Flow.Relabelled != 1 || child.Result.Flow.LeftOut != 1 {
		t.Fatalf("%+v %+v", child.Spec.Review, child.Result.Flow)
	}
	page := ask(s, "GET", "/audit/"+r.ID+"/beside/"+child.ID, "", "Accept: text/html").Body.String()
	for _, part := range []string{"by construction", "ΔAUC", "567 rows", "Odds ratio", "/compare?ids=" + r.ID + "," + child.ID} {
		if !strings.Contains(page, part) {
			t.Errorf("beside its parent: no %q", part)
		}
	}
	if w := ask(s, "GET", "/compare?ids="+r.ID+","+child.ID, "", "Accept: text/html"); w.Code != 200 {
		t.Errorf("compare: %d", w.Code)
	}
	if page := ask(s, "GET", "/runs/"+child.ID, "", "Accept: text/html").Body.String(); !strings.Contains(page, "/runs/"+r.ID) || !strings.Contains(page, "reviewed labels") {
		t.Error("the child's page does not name its parent")
	}
	if w := ask(s, "GET", "/audit/"+child.ID+"/beside/"+r.ID, "", "Accept: text/html"); w.Code != 404 {
		t.Errorf("a parent beside its child: %d", w.Code)
	}
	facts, err := s.auditFacts(context.Background(), r)
	if err != nil || !facts.Made || facts.Tally.Errors != 1 || len(facts.Children) != 1 {
		t.Fatalf("%+v, %v", facts, err)
	}
	for i, b := range facts.Before {
		shift := map[string]int{v.Items[0].Label: -1, v.Items[0].Other: 1}[b.Class]
		if v.Items[1].Label == b.Class {
			shift--
		}
		if facts.After[i].Rows != b.Rows+shift {
			t.Errorf("%s: %d before, %d after, want a shift of %d", b.Class, b.Rows, facts.After[i].Rows, shift)
		}
	}
}

// TestAuditTry flips labels deliberately through the form and checks the result.
func TestAuditTry(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	if w := ask(s, "POST", "/audit/"+r.ID+"/try", "kind=one-sided&rate=20&seed=1", formPost); w.Code != 303 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	auditEnded(t, s, app.TrialJob(r.ID))
	v := auditNow(t, s, r.ID, "")
	if len(v.Trials) != 1 || v.Trials[0].Rate != .2 || *v.Trials[0].Model.AveragePrecision < .8 {
		t.Fatalf("%+v", v.Trials)
	}
	page := ask(s, "GET", "/audit/"+r.ID, "", "Accept: text/html").Body.String()
	for _, part := range []string{"Average precision", "Precision at 25", "the number of flips", "Recall in the first 5", "Base rate", "Logistic regression"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q", part)
		}
	}
	for _, bad := range []string{"kind=x&rate=10&seed=1", "kind=symmetric&rate=0&seed=1", "kind=symmetric&rate=60&seed=1", "kind=symmetric&rate=10&seed=-1"} {
		if w := ask(s, "POST", "/audit/"+r.ID+"/try", bad, formPost); w.Code != 422 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
}

// TestAuditRefuses: every impossible request gets a clear message.
func TestAuditRefuses(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	key := auditNow(t, s, r.ID, "").Items[0].Key
	for body, code := range map[string]int{
		`{}`: 422, `{"start":true,"undo":true}`: 422, `{"decisions":[{"key":"zz","decision":"keep"}]}`: 422,
		`{"decisions":[{"key":"` + strings.Repeat("0", 32) + `","decision":"keep"}]}`: 404,
		`{"decisions":[{"key":"` + key + `","decision":"turn"}]}`:                     422,
		`{"decisions":[{"key":"` + key + `","decision":"flip","to":"gone"}]}`:         422,
		`{"refit":true}`: 409, `{"try":{"kind":"symmetric","rate":2,"seed":1}}`: 422,
	} {
		if w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/audit", body, script); w.Code != code {
			t.Errorf("%s: %d, want %d: %s", body, w.Code, code, w.Body)
		}
	}
	for _, q := range []string{"?sort=x", "?state=x", "?row=0", "?page=x"} {
		if w := ask(s, "GET", "/audit/"+r.ID+q, "", "Accept: text/html"); w.Code != 422 {
			t.Errorf("%s: %d", q, w.Code)
		}
	}
	if w := ask(s, "GET", "/audit/rnone", "", "Accept: text/html"); w.Code != 404 {
		t.Errorf("unknown run: %d", w.Code)
	}
}

// TestAuditHidesAndFilters: predictions are hidden until a row is decided, and the list contains the selected rows.
func TestAuditHidesAndFilters(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := auditedRun(t, s)
	blind := ask(s, "GET", "/audit/"+r.ID, "", "Accept: text/html").Body.String()
	if strings.Contains(blind, "Margin for recorded label") || strings.Contains(blind, "Speaks most for") || !strings.Contains(blind, "appears once you have decided") {
		t.Error("the evidence shows")
	}
	open := ask(s, "GET", "/audit/"+r.ID+"?blind=0", "", "Accept: text/html").Body.String()
	if !strings.Contains(open, "Weight g") || strings.Count(open, "Nearest rows labelled") < 2 || !strings.Contains(open, "ξ / median") {
		t.Error("the evidence does not show")
	}
	v := auditNow(t, s, r.ID, "?label=benign&sort=row&limit=1000")
	for i, item := range v.Items {
		if item.Label != "benign" || i > 0 && item.Row < v.Items[i-1].Row {
			t.Fatalf("%+v", item)
		}
	}
	if v.Total != 357 {
		t.Errorf("%d benign rows", v.Total)
	}
	key := v.Items[0].Key
	ask(s, "POST", "/api/v1/runs/"+r.ID+"/audit", `{"decisions":[{"key":"`+key+`","decision":"keep"}]}`, script)
	if n := auditNow(t, s, r.ID, "?state=open").Total; n != 568 {
		t.Errorf("%d open", n)
	}
	if got := auditNow(t, s, r.ID, "?state=keep"); got.Total != 1 || got.Items[0].Key != key {
		t.Errorf("%+v", got.Items)
	}
}

// TestAuditOfHostileNames: headers, levels and notes are escaped everywhere.
func TestAuditOfHostileNames(t *testing.T) {
	s, _ := testServer(t, Config{})
	const evil = `<img src=x onerror=alert(1)>`
	var b strings.Builder
	b.WriteString(evil + ",site,\"=label\"\n")
	for i := range 120 {
		class := "+yes"
		if (i*7)%11 < 5 {
			class = evil
		}
		b.WriteString(strconv.Itoa(i*37%101) + "," + []string{evil, "B", "C"}[i%3] + "," + class + "\n")
	}
	d := byAPI(t, s, b.String())
	spec, _ := json.Marshal(map[string]any{"dataset": d.ID, "outcome": "=label", "positive": evil, "task": "binary", "model": map[string]any{"loss": "logistic", "l2": 0.01}})
	r := auditOf(t, s, string(spec))
	key := auditNow(t, s, r.ID, "").Items[0].Key
	ask(s, "POST", "/audit/"+r.ID+"/decide", url.Values{"key": {key}, "decision": {"flip"}, "note": {"</textarea>" + evil}}.Encode(), formPost)
	page := ask(s, "GET", "/audit/"+r.ID+"?state=flip", "", "Accept: text/html").Body.String()
	if regexp.MustCompile(`<img src=x|</textarea><img`).MatchString(page) || !strings.Contains(page, "&lt;img src=x") {
		t.Error("a name runs as HTML")
	}
	w := ask(s, "GET", "/audit/"+r.ID+"/review.csv", "")
	records, err := csv.NewReader(w.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range records[1:] {
		for _, cell := range line[2:6] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t") {
				t.Fatalf("a cell is a formula: %q", cell)
			}
		}
	}
}

package web

import (
	"context"
	"encoding/json"
	"html"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/testtime"
)

// answers records the answer of every ETag in the tests: two answers with the same tag would mean that a browser
// shows an outdated page.
var answers sync.Map

// computing matches the computing time in an answer, which may differ.
var computing = regexp.MustCompile(`"ms":[0-9.]+|(\d+(\.\d+)?|under 1)\x{202f}(ms|s)\b`)

// oneAnswer panics if an earlier answer had the same tag and another body.
func oneAnswer(tag string, w *httptest.ResponseRecorder) {
	if w.Header().Get("Content-Encoding") != "" {
		return
	}
	body := computing.ReplaceAllString(w.Body.String(), "")
	if before, seen := answers.LoadOrStore(tag, body); seen && before != body {
		panic("two answers have the tag " + tag + ":\n" + cmp.Diff(before, body))
	}
}

// unchanged requests an address, and again with the tag of the answer: the status is 304 as long as the body is the
// same.
func unchanged(t *testing.T, s *Server, path string, headers ...string) (tag string) {
	t.Helper()
	w := ask(s, "GET", path, "", headers...)
	tag = w.Header().Get("ETag")
	cache := w.Header().Get("Cache-Control") // see TestPatientsNotKept
	if w.Code != 200 || tag == "" || cache != "private, no-cache" && cache != "no-store" {
		t.Fatalf("%s: %d, ETag %q, %q", path, w.Code, tag, w.Header().Get("Cache-Control"))
	}
	for _, method := range []string{"GET", "HEAD"} {
		again := ask(s, method, path, "", append(headers, "If-None-Match: "+tag)...)
		if again.Code != 304 || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
			t.Errorf("%s %s again: %d, %d bytes", method, path, again.Code, again.Body.Len())
		}
	}
	if head := ask(s, "HEAD", path, "", headers...); head.Code != 200 || head.Header().Get("ETag") != tag {
		t.Errorf("HEAD %s: %d, ETag %q", path, head.Code, head.Header().Get("ETag"))
	}
	return tag
}

// TestTags requests pages, files and answers of the API twice, and again after each change of what they show.
func TestTags(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	run := trained(t, s, heartSpec(d, "First", "interval", .2, .6))
	other := trained(t, s, heartSpec(d, "Second", "logistic", .2, .6))
	of := []string{"/runs/" + run.ID, "/report/" + run.ID, "/report/" + run.ID + "?download=1",
		"/compare?ids=" + run.ID + "," + other.ID, "/compare.csv?ids=" + run.ID + "," + other.ID,
		"/api/v1/runs/" + run.ID, "/api/v1/runs/" + run.ID + "/model.json", "/api/v1/runs/" + run.ID + "/statistics",
		"/api/v1/runs/" + run.ID + "/report", "/api/v1/runs/" + run.ID + "/evaluations"}
	fixed := []string{"/", "/?family=t-logistic&t=1.4", "/explore.csv?chart=loss", "/help", "/help/two-temperature", "/api",
		"/studies/not-replicated", "/api/v1/losses", "/api/v1/openapi.json", "/api/v1/presets", "/api/v1/generators"}
	lists := []string{"/studies/preset/sypherd-fig5", "/playground", "/studies", "/robustness", "/stratify/" + d.ID + "?l2=0.01",
		"/data", "/data/" + d.ID}
	tags := map[string]string{}
	for _, path := range append(append(fixed, lists...), of...) {
		tags[path] = unchanged(t, s, path, browser)
	}
	// after requests all again and counts the changed answers, whose tags must have changed.
	after := func(what string, changed bool, paths ...string) {
		t.Helper()
		for _, path := range paths {
			w := ask(s, "GET", path, "", browser, "If-None-Match: "+tags[path])
			if same := w.Code == 304; same == changed {
				t.Errorf("%s: %s answers %d", what, path, w.Code)
			}
			if w.Code == 200 {
				tags[path] = w.Header().Get("ETag")
			}
		}
	}
	trained(t, s, heartSpec(d, "Third", "logistic", .2, .6))
	after("another run", false, append(fixed, of...)...)
	after("another run", true, "/studies", "/data", "/data/"+d.ID) // the confirmation of its deletion counts its models
	if w := ask(s, "POST", "/data/paste", url.Values{"text": {"a,b\n1,2\n3,4\n"}}.Encode(), formPost); w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
	after("another dataset", false, append(fixed, of...)...)
	after("another dataset", false, "/stratify/"+d.ID+"?l2=0.01")
	after("another dataset", true, "/playground", "/studies/preset/sypherd-fig5", "/studies", "/data")
	if w := ask(s, "POST", "/data/"+d.ID, url.Values{"name": {"Ward B"}}.Encode(), formPost); w.Code >= 400 {
		t.Fatal(w.Code, w.Body)
	}
	after("a new name of a dataset", true, "/data", "/data/"+d.ID)
	for _, path := range []string{"/data", "/data/" + d.ID} {
		if w := ask(s, "GET", path, "", browser); !strings.Contains(w.Body.String(), "Ward B") {
			t.Errorf("%s has not the new name", path)
		}
	}

	if w := ask(s, "POST", "/runs/"+run.ID, url.Values{"name": {"Renamed"}}.Encode(), formPost); w.Code != 303 {
		t.Fatal(w.Code, w.Body)
	}
	after("a new name", true, of...)
	after("a new name", false, fixed...)
	if w := ask(s, "GET", "/runs/"+run.ID, "", browser); !strings.Contains(w.Body.String(), "Renamed") {
		t.Error("the page has not the new name")
	}
	for _, cookie := range []string{"theme=dark", "theme=light"} {
		w := ask(s, "GET", "/runs/"+run.ID, "", browser, "If-None-Match: "+tags["/runs/"+run.ID], "Cookie: "+cookie)
		if w.Code != 200 {
			t.Errorf("%s: %d", cookie, w.Code)
		}
	}
	if w := ask(s, "GET", "/api/v1/runs/"+run.ID, "", script, "If-None-Match: "+tags["/api/v1/runs/"+run.ID]); w.Code != 200 {
		t.Errorf("another Accept: %d", w.Code)
	}

	if w := ask(s, "DELETE", "/api/v1/runs/"+other.ID, ""); w.Code != 204 {
		t.Fatal(w.Code, w.Body)
	}
	after("one run deleted", true, of...)
	for _, path := range []string{"/runs/" + other.ID, "/report/" + other.ID, "/api/v1/runs/" + other.ID} {
		if w := ask(s, "GET", path, "", browser, "If-None-Match: *"); w.Code != 404 {
			t.Errorf("%s of a deleted run: %d", path, w.Code)
		}
	}
	if w := ask(s, "POST", "/data/"+d.ID+"/delete", "models=keep", formPost); w.Code != 303 {
		t.Fatal(w.Code, w.Body)
	}
	after("its data wiped", true, "/runs/"+run.ID, "/report/"+run.ID, "/playground")
	unchanged(t, s, "/report/"+run.ID, browser)
}

// TestNoTags requests answers that no browser may store.
func TestNoTags(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	run := trained(t, s, heartSpec(d, "First", "interval", .2, .6))
	draft := strings.TrimPrefix(send(t, s, "/data", "draft.csv", "a,b\n1,2\n3\n", browser).Header().Get("Location"), "/data/")
	if d, err := s.db.Dataset(context.Background(), draft); err != nil || d.State != store.Draft {
		t.Fatal(d.State, err)
	}
	for path, status := range map[string]int{
		"/runs": 200, "/data/" + draft: 200, "/healthz": 200, "/api/v1/runs": 200,
		"/api/v1/runs/" + run.ID + "/rows": 200, "/api/v1/datasets/" + d.ID + "/download": 200, "/audit/" + run.ID: 200,
		"/api/v1/datasets/" + d.ID: 200, "/runs/none": 404, "/report/none": 404, "/help/none": 404, "/compare?ids=none": 422,
		"/?t1=9": 422,
	} {
		w := ask(s, "GET", path, "", browser, `If-None-Match: W/"a"`)
		if w.Code != status && !(status == 422 && w.Code == 404) || w.Header().Get("ETag") != "" ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, want %d; ETag %q, %q", path, w.Code, status, w.Header().Get("ETag"), w.Header().Get("Cache-Control"))
		}
	}
}

// TestPatientsNotKept: no browser stores answers that show single patients. The test says for each route with a tag
// whether it may be stored; such answers must contain no list with an entry per row.
func TestPatientsNotKept(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	run := trained(t, s, heartSpec(d, "First", "interval", .2, .6))
	other := trained(t, s, heartSpec(d, "Second", "logistic", .2, .6))
	w := ask(s, "POST", "/api/v1/runs/"+run.ID+"/predict?evaluate=1",
		strings.NewReplacer(",m,", ",f,", ",f,", ",m,").Replace(newPatients(t)), "Content-Type: text/csv")
	var made struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
		t.Fatalf("no validation: %d %v %.300s", w.Code, err, w.Body)
	}
	patients := map[string][]string{
		"/data/:id": {"/data/" + d.ID}, "/runs/:id/performance": nil, "/runs/:id/model": nil, "/runs/:id/patients": nil, "/report/:id": nil,
		"/stratify/:id": {"/stratify/" + d.ID + "?l2=0.01"},
		"/playground":   {"/playground?data=dataset:" + d.ID}, "/api/v1/runs/:id": nil,
		"/api/v1/runs/:id/model.json": nil, "/runs/:id/calculator.html": nil, "/api/v1/runs/:id/calculator.html": nil,
		"/runs/:id/bundle.zip": nil, "/api/v1/runs/:id/bundle.zip": nil,
		"/api/v1/runs/:id/code/:language": {"/api/v1/runs/" + run.ID + "/code/python"}, "/api/v1/runs/:id/bootstrap": {}, "/api/v1/runs/:id/report": nil,
		// These two may show small counts.
		"/evaluations/:id":               {"/evaluations/" + made.ID},
		"/api/v1/evaluations/:id/report": {"/api/v1/evaluations/" + made.ID + "/report"},
	}
	aggregated := map[string][]string{
		"/": nil, "/data": nil, "/explore.csv": {"/explore.csv?chart=loss"}, "/playground": {"/playground?data=moons"}, "/help": nil, "/verify": nil,
		"/help/:topic": {"/help/two-temperature"}, "/api": nil, "/runs/:id": nil,
		"/runs/:id/group": nil, "/report/:id/card.svg": nil, "/report/:id/card.png": nil,
		"/stratify/:id/flips": {"/stratify/" + d.ID + "/flips?l2=0.01"},
		"/compare":            {"/compare?ids=" + run.ID + "," + other.ID}, "/compare.csv": {"/compare.csv?ids=" + run.ID + "," + other.ID},
		"/studies": nil, "/studies/not-replicated": nil,
		"/studies/preset/:preset": {"/studies/preset/sypherd-fig5"}, "/studies/preset/:preset/cells.csv": {},
		"/studies/preset/:preset/result.json": {}, "/studies/:id": {}, "/robustness": nil,
		"/api/v1/openapi.json": nil, "/api/v1/losses": nil, "/api/v1/generators": nil, "/api/v1/presets": nil,
		"/api/v1/compare":              {"/api/v1/compare?ids=" + run.ID + "," + other.ID},
		"/api/v1/runs/:id/evaluations": nil, "/api/v1/runs/:id/statistics": nil,
		"/api/v1/evaluations/:id": {"/api/v1/evaluations/" + made.ID},
	}
	look := func(cache string, routes map[string][]string) {
		for route, paths := range routes {
			if paths == nil {
				paths = []string{strings.ReplaceAll(route, ":id", run.ID)}
			}
			for _, path := range paths {
				for _, again := range []string{"", "kept on the server"} {
					w := ask(s, "GET", path, "", browser)
					if w.Code != 200 || w.Header().Get("ETag") == "" || w.Header().Get("Cache-Control") != cache {
						t.Errorf("%s %s: %d, %q, want %q", path, again, w.Code, w.Header().Get("Cache-Control"), cache)
					}
					if n := longestList(w.Body.String()); cache != "no-store" && n >= d.Rows {
						t.Errorf("%s may be kept, and has a list of %d entries for %d rows", path, n, d.Rows)
					}
				}
			}
		}
	}
	look("no-store", patients)
	look("private, no-cache", aggregated)
	for _, r := range s.echo.Routes() { // HEAD is answered for routes with a tag
		_, here := patients[r.Path]
		_, there := aggregated[r.Path]
		if r.Method == "HEAD" && !here && !there && r.Path != staticRoute {
			t.Errorf("nobody has said whether %s shows single patients", r.Path)
		}
	}
}

// TestDeletionsForget: every deletion asks the browser to clear its cache.
func TestDeletionsForget(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	run := trained(t, s, heartSpec(d, "First", "interval", .2, .6))
	deletions := 0
	for _, r := range s.echo.Routes() {
		if r.Method != "DELETE" && !(r.Method == "POST" && strings.HasSuffix(r.Path, "/delete")) {
			continue
		}
		deletions++
		w := ask(s, r.Method, strings.ReplaceAll(r.Path, ":id", "none"), url.Values{"ids": {run.ID}, "sure": {"1"}}.Encode(), formPost)
		if w.Header().Get("Clear-Site-Data") != `"cache"` {
			t.Errorf("%s %s: %d, and the browser is told nothing", r.Method, r.Path, w.Code)
		}
	}
	if deletions < 9 {
		t.Errorf("%d deletions were found", deletions)
	}
}

// longestList is the length of the longest list of numbers in JSON, or in HTML that contains JSON.
func longestList(body string) (longest int) {
	for _, list := range numbersListed.FindAllString(html.UnescapeString(body), -1) {
		longest = max(longest, strings.Count(list, ",")+1)
	}
	return longest
}

var numbersListed = regexp.MustCompile(`\[(-?[0-9.e+-]+|null|true|false)(,(-?[0-9.e+-]+|null|true|false))*\]`)

// TestTagsAtWork requests a run from its start until it is done, and during its bootstrap: answers that show
// progress have no tag.
func TestTagsAtWork(t *testing.T) {
	s, d := slow(t)
	spec := heartSpec(d, "slow", "logistic", .5)
	spec.Outcome, spec.Model.L2 = "y", fit.L2{Mode: "cv"}
	r, err := s.app.StartRun(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/runs/" + r.ID, "/api/v1/runs/" + r.ID} {
		if w := ask(s, "GET", path, "", browser); w.Code != 200 || w.Header().Get("ETag") != "" {
			t.Errorf("%s at work: %d, ETag %q", path, w.Code, w.Header().Get("ETag"))
		}
	}
	if w := ask(s, "GET", "/stratify/"+d.ID+"?folds=10", "", browser); w.Code != 200 || w.Header().Get("ETag") != "" {
		t.Errorf("a fit at work: %d, ETag %q", w.Code, w.Header().Get("ETag"))
	}
	if err := s.app.CancelRun(context.Background(), r.ID); err != nil && !usererr.Is(err, usererr.Conflict) {
		t.Fatal(err)
	}
	testtime.Until(t, "the end of the run", func() bool {
		r, err := s.db.RunLine(context.Background(), r.ID)
		return err == nil && app.HasEnded(r.Status) && !s.app.Jobs.Working(r.ID)
	})
	unchanged(t, s, "/runs/"+r.ID, browser)
}

// TestTagsOfReview decides about a label, which changes the counts in the run's report.
func TestTagsOfReview(t *testing.T) {
	s, _ := testServer(t, Config{})
	run := auditedRun(t, s)
	testtime.Until(t, "the audit", func() bool { return !s.app.Jobs.Working(run.ID) })
	before := unchanged(t, s, "/report/"+run.ID, browser)
	key := auditNow(t, s, run.ID, "").Items[0].Key
	body := `{"decisions":[{"key":"` + key + `","decision":"keep"}]}`
	if w := ask(s, "POST", "/api/v1/runs/"+run.ID+"/audit", body, script); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	if w := ask(s, "GET", "/report/"+run.ID, "", browser, "If-None-Match: "+before); w.Code != 200 {
		t.Errorf("%d after a decision", w.Code)
	}
}

// TestTagsSignedIn compares the page of a signed-in visitor with that of another.
func TestTagsSignedIn(t *testing.T) {
	s, _ := testServer(t, Config{Listen: "0.0.0.0:8080", PasswordHash: testHash})
	w := ask(s, "POST", "/login", "password=correct+horse+battery", formPost, browser)
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	in := "Cookie: " + cookie
	tag := unchanged(t, s, "/help", browser, in)
	if w := ask(s, "GET", "/help", "", browser, "If-None-Match: "+tag); w.Code == 304 || w.Header().Get("ETag") != "" {
		t.Errorf("without a session: %d", w.Code)
	}
	out := ask(s, "POST", "/logout", "", formPost, in)
	if out.Header().Get("Clear-Site-Data") != `"cache"` {
		t.Errorf("signing out leaves what the browser kept: %v", out.Header())
	}
	if w := ask(s, "GET", "/help", "", browser, "If-None-Match: "+tag, in); w.Code == 304 {
		t.Error("304 after signing out")
	}
}

// TestKeptAnswers requests cached pages twice, compressed and under a base path: the second visitor gets the first
// one's answer, and nothing of deleted data.
func TestKeptAnswers(t *testing.T) {
	s, _ := testServer(t, Config{KeptAnswers: 1 << 24})
	d := heart(t, s)
	run := trained(t, s, heartSpec(d, "First", "interval", .2, .6))
	for _, path := range []string{"/", "/playground", "/explore.csv?chart=loss", "/report/" + run.ID + "?download=1",
		"/api/v1/runs/" + run.ID + "/model.json?download=1"} {
		for _, packed := range []string{"", "gzip"} {
			first := ask(s, "GET", path, "", browser, "Accept-Encoding: "+packed)
			second := ask(s, "GET", path, "", browser, "Accept-Encoding: "+packed)
			first.Header().Del("X-Request-Id")
			second.Header().Del("X-Request-Id")
			if diff := cmp.Diff(first.Header(), second.Header()); diff != "" || first.Body.String() != second.Body.String() {
				t.Errorf("%s %s: %d and %d bytes; %s", path, packed, first.Body.Len(), second.Body.Len(), diff)
			}
		}
	}
	below, _ := testServer(t, Config{KeptAnswers: 1 << 24, BasePath: "/taper"})
	for range 2 {
		if page := ask(below, "GET", "/taper/", "", browser).Body.String(); !strings.Contains(page, ` href="/taper/data"`) {
			t.Error("a page leads to the root")
		}
	}
	ask(s, "GET", "/runs/"+run.ID, "", browser)
	if w := ask(s, "DELETE", "/api/v1/runs/"+run.ID, ""); w.Code != 204 || w.Header().Get("Clear-Site-Data") == "" {
		t.Fatal(w.Code, w.Body)
	}
	if w := ask(s, "GET", "/runs/"+run.ID, "", browser); w.Code != 404 {
		t.Errorf("a deleted run: %d", w.Code)
	}
}

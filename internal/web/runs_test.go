package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/format"
	"taper/internal/web/page/runlist"
	"taper/testdata"
)

// trained starts a run on a dataset and waits until it has ended.
func trained(t *testing.T, s *Server, spec runspec.Spec) store.Run {
	t.Helper()
	ctx := context.Background()
	r, err := s.app.StartRun(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return finished(t, s, r.ID)
}

// finished waits for a run and for the end of its job, which comes after the run is stored: until then its pages have no
// ETag.
func finished(t *testing.T, s *Server, id string) store.Run {
	t.Helper()
	var r store.Run
	testtime.Until(t, "the end of run "+id, func() bool {
		var err error
		if r, err = s.db.Run(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		return app.HasEnded(r.Status) && !s.app.Jobs.Working(id)
	})
	if r.Status != store.Done {
		t.Fatalf("run %s: %s", r.Status, r.Error)
	}
	return r
}

// heart uploads the clean clinic file.
func heart(t *testing.T, s *Server) store.Dataset {
	t.Helper()
	return bringAnswered(t, s, string(testdata.Read("heart-clinic.csv")))
}

func heartSpec(d store.Dataset, name, loss string, pi ...float64) runspec.Spec {
	return runspec.Spec{Name: name, Dataset: d.ID, Outcome: "disease", Positive: table.Levels{"yes"}, Task: "interval", Boundaries: pi,
		Model:      fit.Spec{Kind: "linear", Loss: loss, L2: fit.L2{Value: 0.01}},
		Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 7}
}

// runHTML is the HTML of every page of a run.
func runHTML(t *testing.T, s *Server, id string) string {
	t.Helper()
	var all strings.Builder
	for _, at := range []string{"", "/performance", "/model", "/patients"} {
		w := ask(s, "GET", "/runs/"+id+at, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("/runs/%s%s: %d %s", id, at, w.Code, plain(w.Body.String()))
		}
		all.WriteString(w.Body.String())
	}
	return all.String()
}

// runText is the text of every page of a run.
func runText(t *testing.T, s *Server, id string) string {
	t.Helper()
	return plain(runHTML(t, s, id))
}

const runHostile = `<img src=x onerror=alert(1)> =2+5&"'`

// threeRuns are an interval model, a comparable logistic regression, and a run with other boundaries and a hostile
// name.
func threeRuns(t *testing.T) (*Server, []store.Run) {
	t.Helper()
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	return s, []store.Run{
		trained(t, s, heartSpec(d, "Bands for the board", "interval", .25, .5, .75)),
		trained(t, s, heartSpec(d, "Plain logistic", "logistic", .25, .5, .75)),
		trained(t, s, heartSpec(d, runHostile, "interval", .1, .3)),
	}
}

var rowID = regexp.MustCompile(`<tr id="(r[0-9a-z]+)">`)

// listedRuns are the ids on a page, in order.
func listedRuns(html string) (ids []string) {
	for _, m := range rowID.FindAllStringSubmatch(html, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

func TestRunsEmpty(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "GET", "/runs", "", browser)
	text := plain(w.Body.String())
	if w.Code != 200 || !strings.Contains(text, "No runs yet") || !strings.Contains(w.Body.String(), `href="/data"`) || strings.Contains(text, "All as CSV") {
		t.Errorf("%d %s", w.Code, text)
	}
	if !strings.Contains(w.Body.String(), `href="/runs"`) || !strings.Contains(text, "Runs") {
		t.Error("no entry in the navigation")
	}
}

// TestRunsPage requests the list in every state and compares it with runs selected by hand.
func TestRunsPage(t *testing.T) {
	s, r := threeRuns(t)
	a, b, c := r[0].ID, r[1].ID, r[2].ID
	if *r[0].Result.Metrics.Test.AUC == *r[1].Result.Metrics.Test.AUC {
		t.Fatal("the test wants different AUCs")
	}
	byAUC := []string{a, b, c}
	slices.SortFunc(byAUC, func(x, y string) int {
		auc := map[string]float64{}
		for _, run := range r {
			auc[run.ID] = *run.Result.Metrics.Test.AUC
		}
		return -int(1e9 * (auc[x] - auc[y]))
	})
	for _, test := range []struct {
		query string
		want  []string
		says  string
	}{
		{"", []string{c, b, a}, "Three runs on one dataset."},
		{"?sort=name", []string{c, a, b}, "Three runs"},
		{"?sort=auc&desc=true", byAUC, "Three runs"},
		{"?sort=brier", []string{b, a, c}, "Three runs"},
		{"?loss=logistic", []string{b}, "One matches the filter."},
		{"?q=BOARD+interval", []string{a}, "One matches the filter."},
		{"?status=done&dataset=" + r[0].Dataset, []string{c, b, a}, "Three match the filter."},
		{"?status=failed", nil, "None matches the filter."},
		{"?dataset=none", nil, "No run matches"},
		{"?limit=2", []string{c, b}, "1 – 2 of 3"},
		{"?limit=2&offset=2", []string{a}, "3 – 3 of 3"},
		{"?limit=2&offset=40", []string{a}, "3 – 3 of 3"},
	} {
		w := ask(s, "GET", "/runs"+test.query, "", browser)
		text := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(w.Body.String()))
		if got := listedRuns(w.Body.String()); w.Code != 200 || !slices.Equal(got, test.want) {
			t.Errorf("%q: %d, %v, want %v", test.query, w.Code, got, test.want)
		}
		if !strings.Contains(text, test.says) {
			t.Errorf("%q does not say %q: %s", test.query, test.says, text)
		}
	}
	for query, says := range map[string]string{
		"?sort=colour": "sort must be one of abstention_loss, accuracy", "?status=lost": "status must be one of queued, running", "?desc=perhaps": "desc must be true or false",
		"?limit=201": "limit must be a whole number from 1 to 200", "?limit=0": "from 1 to 200", "?offset=-1": "offset must be",
	} {
		w := ask(s, "GET", "/runs"+query, "", browser)
		if w.Code != 422 || !strings.Contains(plain(w.Body.String()), says) {
			t.Errorf("%s: %d %s", query, w.Code, plain(w.Body.String()))
		}
	}
}

// TestRunsHeads clicks every column head twice: the list is sorted by it, shows so, and keeps the filter.
func TestRunsHeads(t *testing.T) {
	s, _ := threeRuns(t)
	link := regexp.MustCompile(`<a class="sort" href="([^"]+)">`)
	page := ask(s, "GET", "/runs?q=heart-or-study+x", "", browser).Body.String()
	if link.MatchString(page) {
		t.Error("a table without rows")
	}
	page = ask(s, "GET", "/runs?loss=interval", "", browser).Body.String()
	links := link.FindAllStringSubmatch(page, -1)
	if len(links) != 10 {
		t.Fatalf("%d heads sort, want 10", len(links))
	}
	for i, l := range links {
		first := strings.ReplaceAll(l[1], "&amp;", "&")
		page := ask(s, "GET", first, "", browser).Body.String()
		if strings.Count(page, "aria-sort=") != 1 || len(listedRuns(page)) != 2 {
			t.Errorf("%s: %d heads are marked, %d runs", first, strings.Count(page, "aria-sort="), len(listedRuns(page)))
		}
		again := strings.ReplaceAll(link.FindAllStringSubmatch(page, -1)[i][1], "&amp;", "&")
		turned := ask(s, "GET", again, "", browser).Body.String()
		if strings.Contains(page, `aria-sort="ascending"`) == strings.Contains(turned, `aria-sort="ascending"`) {
			t.Errorf("%s then %s do not turn the order round", first, again)
		}
		if again == first || !strings.Contains(again, "loss=interval") {
			t.Errorf("%s leads to %s", first, again)
		}
	}
}

// TestRunsBest: the lower interval loss of the two comparable runs is marked.
func TestRunsBest(t *testing.T) {
	s, r := threeRuns(t)
	page := ask(s, "GET", "/runs", "", browser).Body.String()
	best, next := r[0], r[1]
	if *next.Result.Metrics.Test.IntervalLoss < *best.Result.Metrics.Test.IntervalLoss {
		best, next = next, best
	}
	if strings.Count(page, `class="r best"`) != 1 {
		t.Fatalf("%d runs are marked as best, want 1", strings.Count(page, `class="r best"`))
	}
	at := strings.LastIndex(page[:strings.Index(page, `class="r best"`)], "<tr id=")
	if !strings.HasPrefix(page[at:], `<tr id="`+best.ID+`"`) {
		t.Errorf("the wrong run is marked: %.60s", page[at:])
	}
	if !strings.Contains(plain(page), fmt.Sprintf("‘%s’ has the lowest interval loss of two comparable runs, %.4f; "+
		"‘%s’ has %.4f. No interval of the difference is computed here: neither is shown to be better. Compare the two",
		best.Name, *best.Result.Metrics.Test.IntervalLoss, next.Name, *next.Result.Metrics.Test.IntervalLoss)) {
		t.Errorf("the sentence: %s", plain(page))
	}
	if link := `<a href="/compare?ids=` + best.ID + "," + next.ID + `">Compare the two</a>`; !strings.Contains(page, link) {
		t.Errorf("no link %s", link)
	} else if w := ask(s, "GET", "/compare?ids="+best.ID+","+next.ID, "", browser); w.Code != http.StatusOK {
		t.Errorf("the comparison: %d", w.Code)
	}
}

func TestRunsInert(t *testing.T) {
	s, r := threeRuns(t)
	for _, path := range []string{"/runs", "/runs?q=" + "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "/runs/delete?id=" + r[0].ID + "&id=" + r[2].ID, "/runs/" + r[2].ID + "/delete",
		"/runs/" + r[2].ID, "/runs/" + r[2].ID + "/performance", "/runs/" + r[2].ID + "/model", "/runs/" + r[2].ID + "/patients"} {
		html := ask(s, "GET", path, "", browser).Body.String()
		if strings.Contains(html, "<img") || strings.Contains(html, `"'<`) || !strings.Contains(html, "&lt;img") {
			t.Errorf("%s shows the name as markup, or not at all", path)
		}
	}
}

// TestRunsCSV parses the file; no cell is a formula.
func TestRunsCSV(t *testing.T) {
	s, r := threeRuns(t)
	if err := s.db.DescribeRun(context.Background(), r[1].ID,
		store.About{Name: new("=HYPERLINK(\"x\")"), Notes: new("@note\nin two lines")}); err != nil {
		t.Fatal(err)
	}
	w := ask(s, "GET", "/runs.csv", "", browser)
	records, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(records) != 4 || len(records[0]) != len(runlist.Head) {
		t.Fatalf("%v, %d records: %v", err, len(records), records)
	}
	if d := w.Header().Get("Content-Disposition"); !strings.Contains(d, "runs.csv") {
		t.Errorf("Content-Disposition %q", d)
	}
	for i, rec := range records[1:] {
		if rec[0] != r[i].ID {
			t.Errorf("line %d is run %s, want the oldest first", i+1, rec[0])
		}
		for _, cell := range rec {
			if cell != "" && strings.ContainsRune("=+@\t", rune(cell[0])) {
				t.Errorf("cell %q would run", cell)
			}
		}
	}
	if got := records[2]; got[1] != `'=HYPERLINK("x")` || got[2] != "'@note\nin two lines" {
		t.Errorf("name and notes %q", got[1:3])
	}
	if w := ask(s, "GET", "/runs.csv?loss=logistic", ""); strings.Count(w.Body.String(), "\n") != 3 {
		t.Errorf("the filter does not reach the file:\n%s", w.Body)
	}
	if w := ask(s, "GET", "/runs.csv?sort=colour", ""); w.Code != 422 {
		t.Errorf("an unknown sort: %d", w.Code)
	}
}

// TestRunsCSVPages: the file contains more runs than are read at a time.
func TestRunsCSVPages(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	ctx := context.Background()
	for i := range csvPage + 3 {
		r := store.Run{ID: s.db.NewID("r"), Dataset: d.ID, Name: fmt.Sprint("run ", i), Spec: heartSpec(d, "", "interval", .5)}
		if err := s.db.CreateRun(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := csv.NewReader(ask(s, "GET", "/runs.csv", "").Body).ReadAll()
	seen := map[string]bool{}
	for _, rec := range records {
		seen[rec[0]] = true
	}
	if err != nil || len(records) != csvPage+4 || len(seen) != csvPage+4 {
		t.Errorf("%d lines, %d ids, %v; want %d", len(records), len(seen), err, csvPage+4)
	}
	page := ask(s, "GET", "/runs?limit=200&offset=400", "", browser).Body.String()
	if n := len(listedRuns(page)); n != 103 {
		t.Errorf("%d runs on the last page, want 103", n)
	}
	if strings.Contains(page, `class="r best"`) {
		t.Error("runs without a result are marked as best")
	}
}

// TestDeleteRuns: the deletion is confirmed, as a page and as a dialog, and deletes all or none.
func TestDeleteRuns(t *testing.T) {
	s, r := threeRuns(t)
	query := "/runs/delete?id=" + r[0].ID + "&id=" + r[1].ID + "&back=%2Fruns%3Fsort%3Dname"
	page := ask(s, "GET", query, "", browser).Body.String()
	text := plain(page)
	for _, want := range []string{"Delete 2 runs?", "Bands for the board", "Plain logistic", "1112 scored rows are wiped from this machine; the data stay."} {
		if !strings.Contains(text, want) {
			t.Errorf("the question lacks %q: %s", want, text)
		}
	}
	if strings.Index(page, ">Keep<") > strings.Index(page, ">Delete 2 runs<") || !strings.Contains(page, `href="/runs?sort=name"`) {
		t.Error("the safe answer is not the first, or leads elsewhere")
	}
	var dialog struct{ HTML string }
	w := ask(s, "GET", query, "", script)
	if err := json.Unmarshal(w.Body.Bytes(), &dialog); err != nil || !strings.HasPrefix(dialog.HTML, "<dialog") || !strings.Contains(dialog.HTML, `value="`+r[1].ID+`"`) {
		t.Errorf("the dialog: %v %s", err, dialog.HTML)
	}
	if w := post(s, "/runs/delete", browser, "id="+r[0].ID, "id=none"); w.Code != 404 {
		t.Errorf("one of them unknown: %d", w.Code)
	}
	if _, err := s.db.Run(context.Background(), r[0].ID); err != nil {
		t.Error("a refused deletion deleted")
	}
	w = post(s, "/runs/delete", browser, "id="+r[0].ID, "id="+r[1].ID, "id="+r[1].ID, "back=/runs?sort=name")
	if w.Code != 303 || w.Header().Get("Location") != "/runs?sort=name" {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
	if got := listedRuns(ask(s, "GET", "/runs", "", browser).Body.String()); !slices.Equal(got, []string{r[2].ID}) {
		t.Errorf("left: %v", got)
	}
	w = post(s, "/runs/"+r[2].ID+"/delete", browser, "back=//evil.example/runs")
	if w.Code != 303 || w.Header().Get("Location") != "/runs" {
		t.Errorf("%d to %q, want /runs", w.Code, w.Header().Get("Location"))
	}
	for path, want := range map[string]int{"/runs/delete": 422, "/runs/delete?id=none": 404, "/runs/none/delete": 404} {
		if w := ask(s, "GET", path, "", browser); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	if w := post(s, "/runs/delete", browser); w.Code != 422 {
		t.Errorf("nothing selected: %d", w.Code)
	}
}

// TestRelativeTime checks times relative to now.
func TestRelativeTime(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", s, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	now := at("2026-03-01 00:10")
	for text, want := range map[string]string{
		"2026-03-01 00:05": "today 00:05", "2026-02-28 23:59": "yesterday 23:59", "2026-02-28 00:00": "yesterday 00:00",
		"2026-02-27 23:59": "27 Feb 23:59", "2026-01-01 08:30": "1 Jan 08:30", "2025-12-31 08:30": "31 Dec 2025",
	} {
		if got := format.Ago(at(text).UTC(), now); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

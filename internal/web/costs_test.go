package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/testtime"
)

// routesOf are the routes in the table under a heading of docs/limits.md, in lines that contain a word.
func routesOf(t *testing.T, heading, word string) (routes []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "\n### "+heading+"\n")
	if !found {
		t.Fatalf("docs/limits.md has no heading %q", heading)
	}
	part, _, _ = strings.Cut(part, "\n#")
	route := regexp.MustCompile("`((?:GET|POST|PATCH|DELETE) /[^`]*)`")
	for line := range strings.Lines(part) {
		if cells := strings.SplitN(line, " | ", 2); len(cells) == 2 && strings.Contains(cells[1], word) {
			for _, m := range route.FindAllStringSubmatch(line, -1) {
				routes = append(routes, m[1])
			}
		}
	}
	return routes
}

// TestEveryRouteHasACost: docs/limits.md gives the memory of every route, or says that it needs no more than a
// page.
func TestEveryRouteHasACost(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	costly, constant := routesOf(t, "Routes that hold memory", ""), routesOf(t, "Routes that take no more than a page", "")
	said := map[string]int{}
	for _, r := range slices.Concat(costly, constant) {
		said[r]++
	}
	for _, r := range s.echo.Routes() {
		route := r.Method + " " + r.Path
		if r.Method == "HEAD" {
			continue
		}
		if said[route] != 1 {
			t.Errorf("docs/limits.md names %s %d times, want once: say what it holds, or that it takes no more than a page",
				route, said[route])
		}
		delete(said, route)
	}
	for route := range said {
		t.Errorf("docs/limits.md names %s, which is no route", route)
	}
}

// largeFixture is a server with a dataset of many rows as a file and one as columns, three runs, an audit with a
// decision, an external validation and three studies; and a second server on the same folder with too little memory
// for any of them.
func largeFixture(t *testing.T) (tiny *Server, names map[string]string) {
	t.Helper()
	ctx := context.Background()
	s, _ := testServer(t, Config{})
	d, err := s.datasets.Generate(ctx, "gmm", 20_000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.datasets.Generate(ctx, "gmm", 20_000, 2, nil)
	if err == nil {
		kept, err = s.datasets.Confirm(ctx, kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	spec := runspec.Spec{Dataset: d.ID, Outcome: d.Choice.Outcome, Positive: d.Choice.Positive, Task: "binary", Seed: 1,
		Model:      fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}},
		Boundaries: []float64{0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 5}}
	run := trained(t, s, spec)
	spec.Model = fit.Spec{Kind: "boost", Params: map[string]any{"alpha": 4.0}, Rounds: 300, Depth: 4} // a large model
	spec.Validation.Folds = 2
	other := trained(t, s, spec)
	sent := func(path, body, kind string) (location string) {
		t.Helper()
		w := ask(s, "POST", path, body, kind)
		if w.Code >= 400 {
			t.Fatalf("%s: %d %.300s", path, w.Code, w.Body)
		}
		return w.Header().Get("Location")
	}
	small := "x1,x2,y\n1,1,1\n0,0,0\n1,0,1\n0,1,0\n"
	_, evaluation, _ := strings.Cut(sent("/api/v1/runs/"+other.ID+"/predict?evaluate=1", small, "Content-Type: text/csv"),
		"/evaluations/")
	sent("/api/v1/runs/"+run.ID+"/audit", `{"start":true}`, asJSON)
	auditEnded(t, s, app.AuditJob(run.ID))
	key := auditNow(t, s, run.ID, "?limit=1").Items[0].Key
	sent("/audit/"+run.ID+"/decide", "decision=flip&key="+key, formPost)
	child := strings.TrimPrefix(sent("/audit/"+run.ID+"/refit", "", formPost), "/runs/")
	testtime.Until(t, "the run on reviewed labels", func() bool {
		r, err := s.db.RunLine(ctx, child)
		return err == nil && r.Status == store.Done
	})

	grid := study.Spec{Dataset: study.Source{Generator: "gmm", Rows: 20_000}, Replicates: 1, Seed: 1,
		Models: []fit.Spec{{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}}}}
	studied := func(spec study.Spec, until func(store.Study) bool) string {
		t.Helper()
		st, err := s.app.StartStudy(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		testtime.Until(t, "the study", func() bool {
			st, err = s.db.Study(ctx, st.ID)
			return err != nil || until(st)
		})
		return st.ID
	}
	done := func(st store.Study) bool { return st.Status == store.Done }
	ended := studied(grid, done)
	figure := studied(study.Spec{Preset: "sypherd-fig4", Size: study.Smoke, Seed: 4}, done)
	grid.Replicates = 1000
	paused := studied(grid, func(st store.Study) bool { return st.Done > 0 })
	if err := s.app.HaltStudy(ctx, paused, store.Paused); err != nil {
		t.Fatal(err)
	}
	b, err := s.app.Bundle(ctx, run.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	var zip strings.Builder
	if err := b.Write(&zip); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Listen: "127.0.0.1:8080", Limits: table.DefaultLimits, Version: testVersion, Memory: 1 << 20}
	if tiny, err = newServer(cfg, s.db, s.log, s.now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tiny.close)
	return tiny, map[string]string{"data": d.ID, "kept": kept.ID, "run": run.ID, "other": other.ID, "child": child,
		"bundle": zip.String(), "key": key, "evaluation": evaluation, "study": ended, "figure": figure, "paused": paused}
}

const asJSON = "Content-Type: application/json"

// costly is a request that needs much memory; parameters such as :id and :child in its path are replaced.
type costly struct{ route, id, query, kind, body string }

// inForm is a file in a multipart form.
func inForm(text string) string { return inFormAs("file", "a.csv", text) }

func inFormAs(field, file, text string) string {
	head := fmt.Sprintf("Content-Disposition: form-data; name=%q; filename=%q", field, file)
	return "--x\r\n" + head + "\r\n\r\n" + text + "\r\n--x--\r\n"
}

const asFile = "Content-Type: multipart/form-data; boundary=x"

// costlyRequests has a request for every route that exceeds the memory of the fixture.
func costlyRequests(id map[string]string) []costly {
	spec := fmt.Sprintf(`{"dataset":%q,"outcome":"y","positive":"1","task":"binary","model":{"kind":"linear","l2":1}}`,
		id["data"])
	list := "1" + strings.Repeat(",1", 100_000)
	pair := "?ids=" + id["run"] + "," + id["other"]
	data, kept, run, audited := id["data"], id["kept"], id["run"], id["run"]
	const fitted = "?outcome=y&positive=1&l2=0.01"
	points := "x1,x2\n" + strings.Repeat("1,1\n", 50_000)
	grid := url.Values{"data": {"g:gmm"}, "rows": {"20000"}, "model": {"linear logistic l2=1"}, "noise": {"symmetric"},
		"rates": {"0, 0.1"}, "metric": {"accuracy"}, "replicates": {"1"}}.Encode()
	return []costly{
		{"POST /data", "", "", asFile, inForm(trialCSV(20_000))},
		{"POST /data/paste", "", "", formPost, url.Values{"text": {trialCSV(20_000)}}.Encode()},
		{"POST /data/sample", "", "", formPost, "file=wdbc.csv"},
		{"POST /api/v1/datasets", "", "", asFile, inForm(trialCSV(20_000))},
		{"GET /data/:id", data, "", "", ""},
		{"POST /data/:id", data, "", formPost, "outcome=x1"},
		{"GET /api/v1/datasets/:id/preview", kept, "", "", ""},
		{"GET /api/v1/datasets/:id/download", kept, "", "", ""},
		{"PATCH /api/v1/datasets/:id", data, "", asJSON, `{"outcome":"x1"}`},
		{"POST /data/generate", "", "", formPost, "generator=gmm&rows=20000&seed=1"},
		{"POST /api/v1/datasets/generate", "", "", asJSON, `{"generator":"gmm","rows":20000,"seed":1}`},

		{"GET /runs/:id/performance", run, "", "", ""},
		{"GET /runs/:id/patients", run, "?band=0", "", ""},
		{"GET /runs/:id/group", run, "", "", ""},
		{"GET /runs/:id/group/live", run, "", "", ""},
		{"GET /report/:id", run, "", "", ""},
		{"GET /report/:id/card.svg", run, "", "", ""},
		{"GET /report/:id/card.png", run, "", "", ""},
		{"GET /evaluations/:id", id["evaluation"], "", "", ""},
		{"POST /runs/:id/recalibrate", run, "", formPost, "prevalence=30"},
		{"POST /evaluations/:id/recalibrate", id["evaluation"], "", formPost, "how=slope"},
		{"GET /api/v1/runs/:id/rows", run, "", "", ""},
		{"GET /api/v1/runs/:id/statistics", run, "", "", ""},
		{"GET /api/v1/runs/:id/report", run, "", "", ""},
		{"GET /api/v1/evaluations/:id/report", id["evaluation"], "", "", ""},
		{"POST /api/v1/runs/:id/recalibrate", run, "", asJSON, `{"intercept":1,"slope":1}`},
		{"POST /runs/:id/score", run, "", asFile, inForm(points)},
		{"POST /stratify/:id/score", data, fitted, asFile, inForm(points)},
		{"POST /api/v1/runs/:id/predict", run, "", "Content-Type: text/csv", points},

		{"POST /api/v1/runs", "", "", asJSON, spec},
		{"POST /runs/:id/again", run, "", formPost, ""},
		{"POST /stratify/:id/save", data, "", formPost, fitted[1:]},
		{"POST /audit/:id/refit", audited, "", formPost, ""},
		{"GET /stratify/:id", data, fitted, "", ""},
		{"GET /stratify/:id/live", data, fitted, "", ""},
		{"GET /stratify/:id/flips", data, fitted, "", ""},
		{"GET /stratify/:id/flips/live", data, fitted, "", ""},
		{"GET /stratify/:id/flips/draws", data, fitted, "", ""},
		{"GET /stratify/:id/given", data, fitted, "", ""},
		{"POST /stratify/:id/given", data, fitted, formPost, "column=x1&scale=score"},
		{"GET /stratify/:id/model.json", data, fitted, "", ""},
		{"GET /stratify/:id/changes", data, fitted, "", ""},
		{"GET /stratify/:id/rows.csv", data, fitted, "", ""},
		{"POST /runs/:id/bootstrap", run, "", formPost, "replicates=50"},
		{"POST /api/v1/runs/:id/bootstrap", run, "", asJSON, `{"replicates":50}`},

		{"POST /audit/:id", audited, "", formPost, ""},
		{"POST /audit/:id/try", audited, "", formPost, "kind=symmetric&rate=10&seed=1"},
		{"POST /api/v1/runs/:id/audit", audited, "", asJSON, `{"start":true}`},
		{"GET /audit/:id", audited, "", "", ""},
		{"POST /audit/:id/decide", audited, "", formPost, "decision=keep&key=" + id["key"]},
		{"POST /audit/:id/undo", audited, "", formPost, ""},
		{"POST /audit/:id/review", audited, "", asFile, inForm("key,decision\n" + id["key"] + ",keep\n")},
		{"GET /audit/:id/review.csv", audited, "", "", ""},
		{"GET /audit/:id/beside/:child", audited, "", "", ""},
		{"GET /api/v1/runs/:id/audit", audited, "", "", ""},

		{"GET /compare", "", pair, "", ""},
		{"GET /compare.csv", "", pair, "", ""},
		{"GET /api/v1/compare", "", pair, "", ""},
		{"GET /playground", "", "", "", ""},
		{"GET /playground/live", "", "", "", ""},
		{"GET /playground/probe", "", "?x=0&y=0", "", ""},
		{"POST /playground/save", "", "", formPost, "which=a"},

		{"GET /runs/:id/bundle.zip", run, "", "", ""},
		{"GET /api/v1/runs/:id/bundle.zip", run, "", "", ""},
		{"POST /verify", "", "", asFile, inFormAs("bundle", "run.zip", id["bundle"])},
		{"POST /api/v1/verifications", "", "", asFile, inFormAs("bundle", "run.zip", id["bundle"])},

		{"POST /studies", "", "", formPost, grid},
		{"POST /robustness", "", "", formPost, grid},
		{"POST /studies/:id/resume", id["paused"], "", formPost, ""},
		{"POST /api/v1/studies", "", "", asJSON, `{"dataset":{"generator":"gmm","rows":20000},"replicates":1,` +
			`"models":[{"kind":"linear","loss":"logistic","l2":1}]}`},
		{"POST /api/v1/studies/:id/resume", id["paused"], "", asJSON, ""},
		{"GET /studies/:id", id["paused"], "", "", ""},
		{"GET /studies/:id/live", id["paused"], "", "", ""},
		{"GET /robustness", "", "?study=" + id["paused"], "", ""},
		{"GET /robustness/live", "", "?study=" + id["paused"], "", ""},
		{"GET /api/v1/studies/:id", id["paused"], "", "", ""},
		{"GET /api/v1/studies/:id/cells.csv", id["paused"], "", "", ""},
		{"GET /studies/:id/rows.csv", id["figure"], "", "", ""},
		{"POST /studies/:id/outside", id["figure"], "", asFile, inForm("depth,replicate,row,prediction\n3,0,1,1\n")},
		{"POST /api/v1/losses/evaluate", "", "", asJSON, `{"loss":"logistic","margins":[` + list + `]}`},
	}
}

// TestCostsAreRefused: every route documented to reserve memory is refused where there is too little, and every one
// with a work limit where the limit is too low; the message names the cost, the limit and the flag.
func TestCostsAreRefused(t *testing.T) {
	tiny, id := largeFixture(t)
	lazy, err := newServer(Config{Listen: "127.0.0.1:8080", Limits: table.DefaultLimits, Version: testVersion, Work: 1e4},
		tiny.db, tiny.log, tiny.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lazy.close)
	holding := routesOf(t, "Routes that hold memory", "")
	for _, c := range []struct {
		what   string
		s      *Server
		routes []string
		says   []string
	}{
		{"memory", tiny, holding,
			[]string{"of memory", "the limit is", "-memory"}},
		{"work", lazy, routesOf(t, "Routes that hold memory", "-max-work"),
			[]string{"multiply-adds", "the limit is 10⁴", "-max-work"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			unasked := map[string]bool{}
			for _, route := range c.routes {
				unasked[route] = true
			}
			for _, r := range costlyRequests(id) {
				if !slices.Contains(holding, r.route) {
					t.Errorf("docs/limits.md does not say that %s holds memory", r.route)
				}
				if !unasked[r.route] {
					continue
				}
				delete(unasked, r.route)
				method, path, _ := strings.Cut(r.route, " ")
				path = strings.NewReplacer(":id", r.id, ":child", id["child"]).Replace(path)
				w := ask(c.s, method, path+r.query, r.body, cmp.Or(r.kind, browser))
				for _, want := range c.says {
					if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
						t.Errorf("%s: %d %.300s, want 422 and %q", r.route, w.Code, plain(w.Body.String()), want)
						break
					}
				}
			}
			for route := range unasked {
				t.Errorf("%s is said to have a cost, and nobody asks it where there is too little", route)
			}
		})
	}
	if n := tiny.memory.Requests.Held(); n != 0 {
		t.Errorf("requests hold %d bytes after their answers", n)
	}

	// A refusal must not suggest that the data are wrong or were deleted.
	if d, err := tiny.db.Dataset(t.Context(), id["data"]); err != nil || d.State != store.Raw || len(d.Profiles) != 3 {
		t.Errorf("after refused patches the dataset is %s with %d columns, %v", d.State, len(d.Profiles), err)
	}
	w := ask(tiny, "POST", "/api/v1/runs/"+id["run"]+"/predict?evaluate=1", "x1,x2,y\n1,1,1\n0,0,0\n1,0,1\n0,1,0\n",
		"Content-Type: text/csv")
	if w.Code != 422 || !strings.Contains(w.Body.String(), "of memory") {
		t.Errorf("a validation whose rows cannot be compared with those of the run: %d %.300s", w.Code, w.Body)
	}
	if w := ask(tiny, "GET", "/audit/"+id["run"], "", browser); !strings.Contains(w.Body.String(), "Reading this audit") {
		t.Errorf("an audit is refused for something else: %.300s", plain(w.Body.String()))
	}
}

// TestJobsHoldReading: a job on a file whose columns are not confirmed may have to read it again, which can take
// more memory than the job. It is refused if that never fits, and admitted once the columns are confirmed.
func TestJobsHoldReading(t *testing.T) {
	var text strings.Builder
	text.WriteString("note,x,y\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "%d %s,%d,%d\n", i, strings.Repeat("a long note ", 250), i*7%50, i%2)
	}
	// Requests may read the file; jobs get four fifths of the memory of requests.
	reading := table.ReadMemory(int64(text.Len()))
	s, _ := testServer(t, Config{Memory: reading * 19 / 10})
	if s.memory.Requests.Check("", reading) != nil || s.memory.Jobs.Check("", reading) == nil {
		t.Fatal("the file is as good for jobs as for requests")
	}
	d := byAPI(t, s, text.String())
	change := func(patch string) {
		t.Helper()
		if w := ask(s, "PATCH", "/api/v1/datasets/"+d.ID, patch, asJSON); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	change(`{"outcome":"y","positive":"1","columns":[{"name":"note","role":"exclude"}]}`)
	run := fmt.Sprintf(`{"dataset":%q,"outcome":"y","positive":"1","predictors":["x"],"task":"binary","model":{"l2":1}}`, d.ID)
	grid := fmt.Sprintf(`{"dataset":%q,"outcome":"y","positive":"1","replicates":1,"models":[{"loss":"logistic","l2":1}]}`,
		d.ID)
	asks := []struct{ method, path, body string }{
		{"POST", "/api/v1/runs", run},
		{"GET", "/stratify/" + d.ID + "/live?outcome=y&positive=1&l2=0.01", ""},
		{"POST", "/api/v1/studies", grid},
	}
	for _, c := range asks {
		w := ask(s, c.method, c.path, c.body, asJSON)
		for _, want := range []string{"Reading this file again, since its columns are not confirmed, would need", "-memory"} {
			if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s %s: %d %.400s, want 422 and %q", c.method, c.path, w.Code, w.Body, want)
			}
		}
	}
	change(`{"confirm":true}`)
	for _, c := range asks {
		if w := ask(s, c.method, c.path, c.body, asJSON); w.Code >= 300 {
			t.Errorf("once the columns are confirmed, %s %s: %d %.400s", c.method, c.path, w.Code, w.Body)
		}
	}
}

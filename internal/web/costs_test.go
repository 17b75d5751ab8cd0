package web

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/testtime"
)

// routesOf are the routes in the lines of docs/limits.md between two headings.
func routesOf(t *testing.T, heading string) (routes []string) {
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
	for _, m := range regexp.MustCompile("`((?:GET|POST|PATCH|DELETE) /[^`]*)`").FindAllStringSubmatch(part, -1) {
		routes = append(routes, m[1])
	}
	return routes
}

// TestEveryRouteHasACost: docs/limits.md says of every route what it holds, or that it takes no more than a page.
func TestEveryRouteHasACost(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	costly, constant := routesOf(t, "Routes that hold memory"), routesOf(t, "Routes that take no more than a page")
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

// largeFixture is a server with a dataset of many rows, two runs, an audit, an external validation and a study, and a
// second one on the same folder with too little memory for any of them.
func largeFixture(t *testing.T) (tiny *Server, names map[string]string) {
	t.Helper()
	ctx := context.Background()
	s, _ := testServer(t, Config{})
	d, err := s.datasets.Generate(ctx, "gmm", 20_000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := runspec.Spec{Dataset: d.ID, Outcome: d.Choice.Outcome, Positive: d.Choice.Positive, Task: "binary", Seed: 1,
		Model:      fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}},
		Boundaries: []float64{0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 5}}
	run := trained(t, s, spec)
	spec.Model.Loss = "exponential"
	other := trained(t, s, spec)
	st, err := s.app.StartStudy(ctx, study.Spec{Dataset: study.Source{Generator: "gmm", Rows: 20_000}, Replicates: 1, Seed: 1,
		Models: []fit.Spec{{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}}}})
	if err != nil {
		t.Fatal(err)
	}
	testtime.Until(t, "the study", func() bool {
		st, err = s.db.Study(ctx, st.ID)
		return err != nil || st.Status == store.Done
	})
	small := "x1,x2,y\n1,1,1\n0,0,0\n1,0,1\n0,1,0\n"
	w := ask(s, "POST", "/api/v1/runs/"+run.ID+"/predict?evaluate=1", small, "Content-Type: text/csv")
	_, id, _ := strings.Cut(w.Header().Get("Location"), "/evaluations/")
	if id == "" {
		t.Fatalf("no external validation: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/api/v1/runs/"+run.ID+"/audit", `{"start":true}`, "Content-Type: application/json"); w.Code >= 300 {
		t.Fatalf("no audit: %d %s", w.Code, w.Body)
	}
	auditEnded(t, s, run.ID)
	cfg := Config{Listen: "127.0.0.1:8080", Limits: table.DefaultLimits, Version: testVersion, Memory: 4 << 20}
	if tiny, err = newServer(cfg, s.db, s.log, s.now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tiny.close)
	return tiny, map[string]string{"data": d.ID, "run": run.ID, "other": other.ID, "study": st.ID, "evaluation": id}
}

// TestCostsAreRefused: what is said to hold memory is refused where there is too little, with the cost and the limit.
func TestCostsAreRefused(t *testing.T) {
	s, id := largeFixture(t)
	costly := routesOf(t, "Routes that hold memory")
	spec := fmt.Sprintf(`{"dataset":%q,"outcome":"y","positive":"1","task":"binary","model":{"kind":"linear","l2":1}}`, id["data"])
	grid := `{"dataset":{"generator":"gmm","rows":20000},"models":[{"kind":"linear","loss":"logistic","l2":1}],"replicates":1}`
	list := "1" + strings.Repeat(",1", 100_000)
	pasted := url.Values{"text": {trialCSV(20_000)}}.Encode()
	pair := "?ids=" + id["run"] + "," + id["other"]
	for _, c := range []struct{ route, query, body string }{
		{"POST /data/paste", "", pasted},
		{"POST /data/generate", "", "generator=gmm&rows=20000&seed=1"},
		{"POST /api/v1/datasets/generate", "", `{"generator":"gmm","rows":20000,"seed":1}`},
		{"GET /data/:id", "", ""},
		{"GET /api/v1/datasets/:id/preview", "", ""},
		{"GET /runs/:id/performance", "", ""},
		{"GET /runs/:id/patients", "?band=0", ""},
		{"GET /runs/:id/group", "", ""},
		{"GET /runs/:id/group/live", "", ""},
		{"GET /report/:id", "", ""},
		{"GET /report/:id/card.svg", "", ""},
		{"GET /report/:id/card.png", "", ""},
		{"GET /api/v1/runs/:id/rows", "", ""},
		{"GET /api/v1/runs/:id/statistics", "", ""},
		{"GET /api/v1/runs/:id/report", "", ""},
		{"POST /api/v1/runs/:id/recalibrate", "", `{"intercept":1,"slope":1}`},
		{"POST /api/v1/runs/:id/predict", "", trialCSV(50_000)},
		{"POST /api/v1/runs", "", spec},
		{"POST /runs/:id/again", "", ""},
		{"GET /stratify/:id", "?outcome=y&positive=1", ""},
		{"GET /stratify/:id/live", "?outcome=y&positive=1", ""},
		{"GET /stratify/:id/flips", "?outcome=y&positive=1", ""},
		{"POST /runs/:id/bootstrap", "", "replicates=50"},
		{"POST /api/v1/runs/:id/bootstrap", "", `{"replicates":50}`},
		{"POST /audit/:id", "", ""},
		{"POST /api/v1/runs/:id/audit", "", `{"start":true}`},
		{"GET /compare", pair, ""},
		{"GET /compare.csv", pair, ""},
		{"GET /api/v1/compare", pair, ""},
		{"GET /playground", "", ""},
		{"GET /playground/live", "", ""},
		{"POST /playground/save", "", "which=a"},
		{"POST /api/v1/studies", "", grid},
		{"GET /robustness", "?study=" + id["study"], ""},
		{"POST /api/v1/losses/evaluate", "", `{"loss":"logistic","margins":[` + list + `]}`},
	} {
		if !slices.Contains(costly, c.route) {
			t.Errorf("docs/limits.md does not say that %s holds memory", c.route)
		}
		method, path, _ := strings.Cut(c.route, " ")
		of := id["run"]
		if strings.Contains(path, "/data") || strings.HasPrefix(path, "/stratify") {
			of = id["data"]
		}
		kind := "Content-Type: application/json"
		switch {
		case strings.HasSuffix(path, "/predict"):
			kind = "Content-Type: text/csv"
		case !strings.HasPrefix(path, "/api"):
			kind = formPost
		}
		w := ask(s, method, strings.ReplaceAll(path, ":id", of)+c.query, c.body, kind)
		for _, want := range []string{"of memory", "the limit is", "-memory"} {
			if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %.300s, want 422 and %q", c.route, w.Code, w.Body, want)
				break
			}
		}
	}
	if n := s.memory.Requests.Held(); n != 0 {
		t.Errorf("requests hold %d bytes after their answers", n)
	}
	work := Config{Listen: "127.0.0.1:8080", Limits: table.DefaultLimits, Version: testVersion, Work: 1e4}
	lazy, err := newServer(work, s.db, s.log, s.now)
	if err != nil {
		t.Fatal(err)
	}
	defer lazy.close()
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/api/v1/runs", spec},
		{"POST", "/api/v1/runs/" + id["run"] + "/bootstrap", `{"replicates":50}`},
		{"POST", "/api/v1/runs/" + id["run"] + "/audit", `{"start":true}`},
		{"POST", "/api/v1/runs/" + id["run"] + "/predict", "x1,x2\n" + strings.Repeat("1,1\n", 10_000)},
		{"POST", "/api/v1/studies", grid},
		{"POST", "/api/v1/studies", `{"preset":"sypherd-fig5","size":"smoke","seed":1}`},
		{"GET", "/stratify/" + id["data"] + "/live?outcome=y&positive=1", ""},
	} {
		kind := "Content-Type: application/json"
		if strings.HasSuffix(c.path, "/predict") {
			kind = "Content-Type: text/csv"
		}
		w := ask(lazy, c.method, c.path, c.body, kind)
		for _, want := range []string{"multiply-adds", "the limit is 10⁴", "-max-work"} {
			if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %.300s, want 422 and %q", c.path, w.Code, w.Body, want)
				break
			}
		}
	}
}

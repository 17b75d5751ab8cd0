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

// TestEveryRouteHasACost: docs/limits.md says of every route what it holds, or that it takes no more than a page; and
// what is said to hold memory is refused where there is too little, with the cost and the limit.
func TestEveryRouteHasACost(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	costly, constant := routesOf(t, "Routes that hold memory"), routesOf(t, "Routes that take no more than a page")
	said := map[string]int{}
	for _, r := range slices.Concat(costly, constant) {
		said[r]++
	}
	for _, r := range s.echo.Routes() {
		route := r.Method + " " + r.Path
		if r.Method == "HEAD" || !strings.HasPrefix(r.Path, "/") || r.Path == "/*" {
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

func TestProbeCosts(t *testing.T) {
	tiny, id := largeFixture(t)
	for _, r := range tiny.echo.Routes() {
		if r.Method == "HEAD" || r.Method == "DELETE" || strings.HasSuffix(r.Path, "/delete") {
			continue
		}
		what := id["run"]
		switch {
		case strings.Contains(r.Path, "/data"), strings.Contains(r.Path, "/stratify"):
			what = id["data"]
		case strings.Contains(r.Path, "/studies"):
			what = id["study"]
		case strings.Contains(r.Path, "/evaluations/:"):
			what = id["evaluation"]
		}
		path := strings.ReplaceAll(r.Path, ":id", what)
		if strings.Contains(path, "compare") {
			path += "?ids=" + id["run"] + "," + id["other"]
		}
		if strings.Contains(path, "robustness") {
			path += "?study=" + id["study"]
		}
		if strings.Contains(path, "/stratify/") {
			path += "?outcome=y&positive=1"
		}
		w := ask(tiny, r.Method, path, url.Values{"which": {"a"}}.Encode(), formPost)
		text := ""
		if w.Code >= 400 {
			text = fmt.Sprintf("%.150s", regexp.MustCompile(`would[^<]*|needs[^<]*`).FindString(w.Body.String()))
		}
		fmt.Println(r.Method, r.Path, w.Code, text)
	}
}

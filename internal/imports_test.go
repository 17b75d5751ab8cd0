// Package internal_test checks rules about the whole source tree.
package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// may lists which of our packages each package may import: imports go in one direction
// (docs/architecture.md). An unlisted package fails the test, so a new one must be placed here
// first.
var may = map[string][]string{
	"cmd/web":                          {"internal/engine/portable", "internal/app", "internal/engine/job", "internal/machine", "internal/reach", "internal/command", "internal/engine/cost", "internal/web", "internal/web/session", "internal/store", "internal/engine/table", "internal/engine/usererr"},
	"internal/command":                 {"internal/engine/loss", "internal/app", "internal/app/datasets", "internal/engine", "internal/engine/phrase", "internal/engine/compare", "internal/engine/external", "internal/engine/stat", "internal/engine/table", "internal/engine/usererr", "internal/parquet", "internal/store", "internal/strict", "internal/web/api", "internal/web/format", "internal/web/httpio"},
	"internal/parquet":                 {"internal/engine/phrase", "internal/engine/table", "internal/engine/usererr"},
	"internal/web":                     {"internal/reach", "internal/engine/cost", "internal/doc", "internal/web/...", "internal/store", "internal/viz", "internal/engine/...", "web/templates", "web/static", "testdata", "internal/app/...", "internal/cache", "internal/strict", "internal/app"},
	"internal/web/api":                 {"internal/web/form", "internal/app", "internal/app/datasets", "internal/engine", "internal/engine/audit", "internal/engine/fit/linear", "internal/engine/compare", "internal/engine/fit", "internal/engine/fit/multiclass", "internal/engine/job", "internal/engine/loss", "internal/engine/prep", "internal/engine/stat", "internal/engine/study", "internal/engine/study/paper", "internal/engine/synth", "internal/engine/table", "internal/engine/task", "internal/engine/usererr", "internal/store", "internal/web/format", "internal/web/httpio", "internal/web/openapi", "internal/web/page/comparison", "internal/web/page/report", "internal/web/page/review", "internal/web/page/runlist", "internal/web/progress", "internal/engine/model", "internal/engine/external", "internal/engine/runspec"},
	"internal/web/httpio":              {"internal/cache", "internal/engine/cost", "internal/engine/parallel", "internal/web/form", "internal/app/datasets", "internal/engine/usererr", "internal/store", "internal/strict", "internal/web/format"},
	"internal/web/progress":            {"internal/app", "internal/engine/job", "internal/web/format", "web/templates"},
	"internal/web/page/review":         {"internal/engine/phrase", "internal/app", "internal/app/datasets", "internal/engine/audit", "internal/engine/job", "internal/engine/loss", "internal/engine/stat", "internal/engine/usererr", "internal/store", "internal/viz", "internal/web/control", "internal/web/form", "internal/web/format", "internal/web/progress", "web/templates", "internal/engine/model"},
	"internal/web/page/data":           {"internal/engine/phrase", "internal/app/datasets", "internal/engine/check", "internal/engine/fit", "internal/engine/loss", "internal/engine/synth", "internal/engine/table", "internal/engine/task", "internal/engine/usererr", "internal/store", "internal/viz", "internal/web/format", "testdata", "web/templates"},
	"internal/web/page/scoring":        {"internal/engine/phrase", "internal/doc", "internal/engine", "internal/engine/check", "internal/engine/fit", "internal/engine/prep", "internal/engine/stat", "internal/engine/table", "internal/engine/task", "internal/engine/usererr", "internal/store", "internal/viz", "internal/web/format", "internal/web/render", "internal/web/resultview", "web/templates", "internal/engine/loss", "internal/engine/model", "internal/engine/external"},
	"internal/web/session":             {"internal/engine/usererr"},
	"internal/web/openapi":             {},
	"internal/web/live":                {"web/templates"},
	"internal/web/format":              {"internal/engine/phrase", "internal/doc", "internal/engine/table", "internal/engine/task", "internal/engine/stat", "internal/viz", "internal/engine", "internal/engine/synth", "internal/engine/fit/linear", "internal/engine/usererr", "internal/engine/runspec"},
	"internal/web/form":                {"internal/engine/phrase", "internal/web/format", "internal/engine/table", "internal/engine/usererr"},
	"internal/web/boundary":            {"internal/engine/phrase", "internal/web/format", "internal/viz", "internal/web/form", "internal/engine/loss", "internal/engine/usererr"},
	"internal/web/form/formtest":       {},
	"internal/doc/doctest":             {"internal/doc", "internal/doc/mask"},
	"internal/doc":                     {"internal/engine/phrase", "internal/doc/mask", "internal/viz", "internal/engine/stat"},
	"internal/doc/mask":                {"internal/engine/phrase", "internal/viz", "internal/engine/loss", "internal/engine/stat"},
	"internal/web/render":              {"internal/doc", "internal/viz", "internal/web/control", "web/templates"},
	"internal/web/control":             {"internal/web/format", "internal/web/form", "internal/viz", "web/templates"},
	"internal/web/resultview":          {"internal/engine/phrase", "internal/doc", "internal/doc/mask", "internal/web/render", "internal/engine/task", "internal/web/format", "internal/web/control", "internal/web/boundary", "internal/viz", "internal/engine", "internal/engine/check", "internal/engine/fit", "internal/engine/loss", "internal/engine/stat", "internal/engine/prep", "internal/engine/table", "web/templates", "internal/engine/model", "internal/engine/runspec", "internal/engine/crossfit", "internal/engine/parallel"},
	"internal/web/page/run":            {"internal/web/form", "internal/engine/phrase", "internal/doc", "internal/engine", "internal/store", "internal/web/boundary", "internal/web/format", "internal/web/resultview", "web/templates", "internal/engine/runspec", "internal/engine/task"},
	"internal/web/page/group":          {"internal/doc/mask", "internal/engine", "internal/engine/phrase", "internal/engine/stat", "internal/store", "internal/viz", "internal/web/boundary", "internal/web/control", "internal/web/form", "internal/web/format", "internal/web/live", "web/templates"},
	"internal/web/page/report":         {"internal/web/boundary", "internal/engine/phrase", "internal/engine/odds", "internal/engine/task", "internal/doc", "internal/doc/mask", "internal/web/resultview", "internal/web/format", "internal/web/control", "internal/store", "internal/viz", "internal/viz/card", "internal/engine", "internal/engine/audit", "internal/engine/check", "internal/engine/fit", "internal/engine/stat", "internal/engine/prep", "internal/engine/spline", "internal/engine/table", "web/templates", "internal/engine/loss", "internal/engine/model", "internal/engine/external", "internal/engine/runspec", "internal/engine/crossfit", "internal/engine/usererr"},
	"internal/web/page/explore":        {"internal/engine/cost", "internal/engine/phrase", "internal/web/live", "internal/web/format", "internal/web/form", "internal/web/boundary", "internal/web/control", "internal/cache", "internal/web/mathml", "internal/viz", "internal/engine/loss", "internal/engine/landscape", "internal/engine/parallel", "internal/engine/synth", "internal/engine/task", "internal/engine/table", "internal/engine/tempered", "internal/engine/usererr", "web/templates"},
	"internal/web/page/stratify":       {"internal/engine/phrase", "internal/engine/stat", "internal/doc", "internal/web/render", "internal/engine/task", "internal/web/control", "internal/web/live", "internal/web/resultview", "internal/web/format", "internal/web/form", "internal/web/boundary", "internal/store", "internal/viz", "internal/engine", "internal/engine/check", "internal/engine/fit", "internal/engine/job", "internal/engine/loss", "internal/engine/spline", "internal/engine/synth", "internal/engine/table", "internal/engine/usererr", "internal/web/progress", "web/templates", "internal/engine/runspec", "internal/engine/crossfit"},
	"internal/web/page/playground":     {"internal/engine/cost", "internal/engine", "internal/engine/phrase", "internal/web/live", "internal/engine/check", "internal/web/format", "internal/web/form", "internal/web/boundary", "internal/web/control", "internal/cache", "internal/store", "internal/viz", "internal/engine/playground", "internal/engine/fit", "internal/engine/task", "internal/engine/loss", "internal/engine/stat", "internal/engine/prep", "internal/engine/synth", "internal/engine/table", "internal/engine/fit/linear", "internal/engine/usererr", "web/templates", "internal/viz/fluid", "internal/engine/runspec"},
	"internal/web/page/comparison":     {"internal/engine/phrase", "internal/engine/playground", "internal/web/form", "internal/engine/task", "internal/doc", "internal/doc/mask", "internal/web/format", "internal/web/boundary", "internal/web/control", "internal/web/page/explore", "internal/viz", "internal/engine", "internal/engine/compare", "internal/engine/loss", "internal/engine/stat", "internal/engine/parallel", "internal/engine/prep", "internal/engine/usererr", "web/templates", "internal/engine/model", "internal/viz/fluid", "internal/engine/fit", "internal/engine/crossfit"},
	"internal/web/page/runlist":        {"internal/engine/fit", "internal/engine/loss", "internal/engine/phrase", "internal/app", "internal/engine/compare", "internal/engine/stat", "internal/store", "internal/viz", "internal/web/boundary", "internal/web/form", "internal/web/format", "web/templates"},
	"internal/web/page/help":           {"internal/engine/task", "internal/engine/stat", "internal/web/format", "internal/web/page/explore", "internal/web/mathml", "web/templates"},
	"internal/web/mathml":              {"web/templates"},
	"internal/web/page/studyform":      {"internal/engine/study/stored", "internal/engine/study", "internal/engine/study/paper", "internal/engine/fit", "internal/engine/loss", "internal/engine/synth", "internal/engine/usererr", "internal/viz", "internal/store", "internal/web/form", "web/templates"},
	"internal/web/page/studyreport":    {"internal/engine/stat", "internal/engine/phrase", "internal/app", "internal/doc", "internal/doc/mask", "internal/engine/fit", "internal/engine/job", "internal/engine/study", "internal/engine/study/paper", "internal/engine/study/stored", "internal/engine/synth", "internal/engine/usererr", "internal/store", "internal/viz", "internal/web/control", "internal/web/form", "internal/web/format", "internal/web/page/studyform", "internal/web/live", "internal/web/render", "internal/web/progress", "web/templates"},
	"internal/calculator":              {"internal/engine/phrase", "internal/engine/portable", "internal/engine/usererr", "web/static"},
	"internal/bundle":                  {"internal/engine/phrase", "internal/engine/runspec", "internal/engine/table", "internal/engine/usererr", "internal/strict"},
	"internal/notices":                 {},
	"internal/cache":                   {"internal/engine/cost"},
	"internal/app/lock":                {},
	"internal/app/datasets":            {"internal/app/lock", "internal/engine/cost", "internal/cache", "internal/store", "internal/strict", "internal/engine/check", "internal/engine/synth", "internal/engine/table", "internal/engine/usererr", "testdata"},
	"internal/strict":                  {"internal/engine/table", "internal/engine/usererr"},
	"internal/app":                     {"internal/app/lock", "internal/bundle", "internal/notices", "internal/machine", "internal/calculator", "internal/engine/phrase", "internal/engine/portable", "internal/engine/prep", "internal/engine/crossfit", "internal/engine/cost", "internal/engine/odds", "internal/app/datasets", "internal/store", "internal/engine", "internal/engine/audit", "internal/engine/check", "internal/engine/job", "internal/engine/study", "internal/engine/study/paper", "internal/engine/table", "internal/engine/usererr", "internal/engine/fit", "internal/engine/compare", "internal/engine/stat", "internal/cache", "internal/engine/model", "internal/engine/external", "internal/engine/runspec"},
	"internal/machine":                 {},
	"internal/reach":                   {"internal/engine/job", "internal/engine/usererr"},
	"internal/store":                   {"internal/cache", "internal/engine", "internal/engine/...", "migrations"},
	"internal/viz":                     {"internal/engine/phrase", "internal/engine", "internal/engine/playground", "internal/engine/study", "internal/engine/loss", "internal/engine/stat", "internal/engine/usererr", "internal/engine/model", "internal/engine/crossfit"},
	"internal/viz/fluid":               {"internal/viz"},
	"internal/viz/card":                {"internal/engine/phrase", "internal/viz"},
	"internal/engine":                  {"internal/engine/cost", "internal/engine/resample", "internal/engine/task", "internal/engine/tune", "internal/engine/fit", "internal/engine/loss", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/table", "internal/engine/check", "internal/engine/prep", "internal/engine/spline", "internal/engine/stat", "internal/engine/parallel", "internal/engine/usererr", "internal/engine/job", "internal/engine/model", "internal/engine/phrase", "internal/engine/external", "internal/engine/runspec", "internal/engine/crossfit"},
	"internal/engine/model":            {"internal/engine/cost", "internal/engine/check", "internal/engine/fit", "internal/engine/fit/boost", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/loss", "internal/engine/phrase", "internal/engine/prep", "internal/engine/stat", "internal/engine/table", "internal/engine/task", "internal/engine/usererr"},
	"internal/engine/external":         {"internal/engine/cost", "internal/engine/check", "internal/engine/model", "internal/engine/odds", "internal/engine/phrase", "internal/engine/prep", "internal/engine/stat", "internal/engine/table", "internal/engine/task", "internal/engine/usererr"},
	"internal/engine/portable":         {"internal/engine/check", "internal/engine/fit/multiclass", "internal/engine/loss", "internal/engine/model", "internal/engine/prep", "internal/engine/stat", "internal/engine/task", "internal/engine/usererr"},
	"internal/engine/task":             {"internal/engine/fit", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/loss", "internal/engine/stat"},
	"internal/engine/crossfit":         {"internal/engine/cost", "internal/engine/pages", "internal/engine/fit", "internal/engine/fit/linear", "internal/engine/loss", "internal/engine/odds", "internal/engine/parallel", "internal/engine/phrase", "internal/engine/prep", "internal/engine/resample", "internal/engine/runspec", "internal/engine/stat", "internal/engine/synth", "internal/engine/table", "internal/engine/task", "internal/engine/tune", "internal/engine/usererr"},
	"internal/engine/runspec":          {"internal/strict", "internal/engine/check", "internal/engine/fit", "internal/engine/fit/boost", "internal/engine/fit/multiclass", "internal/engine/formula", "internal/engine/loss", "internal/engine/model", "internal/engine/phrase", "internal/engine/resample", "internal/engine/spline", "internal/engine/stat", "internal/engine/synth", "internal/engine/table", "internal/engine/task", "internal/engine/usererr"},
	"internal/engine/formula":          {"internal/engine/phrase", "internal/engine/table", "internal/engine/usererr"},
	"internal/engine/resample":         {},
	"internal/engine/odds":             {},
	"internal/engine/tune":             {"internal/engine/parallel"},
	"internal/engine/fit":              {"internal/engine/cost", "internal/engine/odds", "internal/engine/loss", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/fit/boost", "internal/engine/usererr"},
	"internal/engine/compare":          {"internal/engine", "internal/engine/task", "internal/engine/stat", "internal/engine/parallel", "internal/engine/model", "internal/engine/runspec"},
	"internal/engine/study":            {"internal/engine/parallel", "internal/engine/cost", "internal/engine/resample", "internal/engine/task", "internal/engine/tune", "internal/engine/check", "internal/engine/fit", "internal/engine/loss", "internal/engine/fit/linear", "internal/engine/stat", "internal/engine/phrase", "internal/engine/prep", "internal/engine/table", "internal/engine/synth", "internal/engine/usererr", "internal/engine/job", "internal/engine/runspec"},
	"internal/engine/study/paper":      {"internal/engine/resample", "internal/engine/study", "testdata", "internal/engine/check", "internal/engine/fit", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/landscape", "internal/engine/loss", "internal/engine/phrase", "internal/engine/stat", "internal/engine/synth", "internal/engine/table", "internal/engine/tempered", "internal/engine/tune", "internal/engine/usererr", "internal/engine/runspec", "internal/engine/audit"},
	"internal/engine/study/stored":     {"internal/engine/study", "internal/engine/fit"},
	"internal/engine/playground":       {"internal/engine/cost", "internal/engine/fit", "internal/engine/loss", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/stat", "internal/engine/parallel", "internal/engine/table", "internal/engine/synth", "internal/engine/usererr", "internal/engine/resample"},
	"internal/engine/audit":            {"internal/engine/cost", "internal/engine/table", "internal/engine/usererr", "internal/engine", "internal/engine/crossfit", "internal/engine/fit", "internal/engine/fit/boost", "internal/engine/fit/linear", "internal/engine/fit/multiclass", "internal/engine/loss", "internal/engine/model", "internal/engine/prep", "internal/engine/resample", "internal/engine/runspec", "internal/engine/stat", "internal/engine/synth", "internal/engine/task", "internal/engine/tune"},
	"internal/engine/stat":             {"internal/engine/odds", "internal/engine/phrase", "internal/engine/spline", "internal/engine/parallel", "internal/engine/usererr"},
	"internal/engine/spline":           {},
	"internal/engine/synth":            {"internal/engine/odds", "internal/engine/loss", "internal/engine/table", "internal/engine/usererr"},
	"internal/engine/job":              {"internal/engine/phrase", "internal/engine/cost", "internal/engine/parallel", "internal/engine/usererr", "internal/engine/fit/linear"},
	"internal/engine/prep":             {"internal/engine/phrase", "internal/engine/spline", "internal/engine/table", "internal/engine/usererr"},
	"internal/engine/pages":            {},
	"internal/engine/table":            {"internal/engine/cost", "internal/engine/pages", "internal/engine/phrase", "internal/engine/usererr", "internal/engine/parallel"},
	"internal/engine/check":            {"internal/engine/parallel", "internal/engine/phrase", "internal/engine/table", "internal/engine/prep", "internal/engine/stat", "internal/engine/usererr"},
	"internal/engine/fit/boost":        {"internal/engine/odds", "internal/engine/loss", "internal/engine/parallel", "internal/engine/tempered", "internal/engine/fit/linear", "internal/engine/usererr", "internal/engine/vector"},
	"internal/engine/fit/linear":       {"internal/engine/odds", "internal/engine/pages", "internal/engine/loss", "internal/engine/parallel", "internal/engine/usererr", "internal/engine/vector"},
	"internal/engine/fit/multiclass":   {"internal/engine/loss", "internal/engine/parallel", "internal/engine/fit/linear", "internal/engine/usererr", "internal/engine/vector"},
	"internal/engine/loss":             {"internal/engine/odds", "internal/engine/tempered", "internal/engine/usererr", "internal/engine/vector"},
	"internal/engine/landscape":        {"internal/engine/loss"},
	"internal/engine/tempered":         {"internal/engine/vector"},
	"internal/engine/vector":           {},
	"internal/engine/vector/gen":       {},
	"internal/engine/cost":             {"internal/engine/usererr"},
	"internal/engine/usererr":          {"internal/engine/phrase"},
	"internal/engine/phrase":           {},
	"internal/engine/runspec/spectest": {"internal/engine/fit", "internal/engine/runspec", "internal/engine/table"},
	"internal/engine/table/tabletest":  {"internal/engine/table", "internal/engine/odds"},
	"internal/engine/parallel":         {},
	"web/templates":                    {"internal/engine/phrase"},
	"web/templates/sheet":              {"web/templates"},
	"web/static":                       {},
	"migrations":                       {},
	"internal/testlog":                 {},
	"internal/testtime":                {},
	"internal/golden":                  {},
	"internal/terms":                   {},
	"testdata":                         {"internal/engine/synth", "internal/engine/table"},
}

// outside bans third-party packages: the engine must not import HTTP, SQL or charts, and pages
// may import templ only.
var outside = map[string][]string{
	"internal/engine":              {"github.com/nats-io/", "net/http", "database/sql", "github.com/labstack/", "github.com/a-h/templ", "github.com/go-echarts/", "modernc.org/"},
	"internal/app":                 {"github.com/nats-io/", "net/http", "database/sql", "github.com/labstack/", "github.com/a-h/templ", "github.com/go-echarts/", "modernc.org/"},
	"internal/viz":                 {"net/http", "database/sql", "github.com/labstack/", "github.com/a-h/templ", "modernc.org/"},
	"internal/store":               {"net/http", "github.com/labstack/", "github.com/a-h/templ", "github.com/go-echarts/"},
	"web/templates":                {"net/http", "database/sql", "github.com/labstack/", "github.com/go-echarts/", "modernc.org/"},
	"internal/web":                 {"database/sql", "github.com/go-echarts/", "modernc.org/"},
	"internal/web/page/explore":    {"net/http", "github.com/labstack/"},
	"internal/web/page/stratify":   {"net/http", "github.com/labstack/"},
	"internal/web/page/playground": {"net/http", "github.com/labstack/"},
	"internal/web/page/report":     {"net/http", "github.com/labstack/"},
	"internal/web/page/run":        {"net/http", "github.com/labstack/"},
	"internal/web/page/group":      {"net/http", "github.com/labstack/"},
	"internal/web/resultview":      {"net/http", "github.com/labstack/"},
	"internal/web/page/comparison": {"net/http", "github.com/labstack/"},
	"internal/web/progress":        {"net/http", "github.com/labstack/"},
	"internal/web/page/runlist":    {"net/http", "github.com/labstack/"},
	"internal/web/page/review":     {"net/http", "github.com/labstack/"},
	"internal/web/page/data":       {"net/http", "github.com/labstack/"},
	"internal/web/page/scoring":    {"net/http", "github.com/labstack/"},
	"internal/web/page/help":       {"net/http", "github.com/labstack/"},
	"internal/doc":                 {"net/http", "github.com/labstack/", "github.com/a-h/templ"},
	"internal/web/format":          {"net/http", "github.com/labstack/"},
	"internal/web/form":            {"net/http", "github.com/labstack/"},
	"internal/web/boundary":        {"net/http", "github.com/labstack/"},
	"internal/web/control":         {"net/http", "github.com/labstack/"},
}

// TestMap: every package of the engine is on the map in docs/architecture.md.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for room := range may {
		if n := strings.Count(string(text), "\n| ["+room+"](../"+room+")"); strings.HasPrefix(room, "internal/engine") && n != 1 {
			t.Errorf("%s has %d lines in the table of docs/architecture.md, want 1", room, n)
		}
	}
}

// solver matches a call of a solver.
var solver = regexp.MustCompile(`\b(linear\.(Margin|Logistic|LogisticPath|Interval|IntervalPath|TLogistic)|multiclass\.Fit|boost\.Fit)\(`)

// TestOneDoor: models are fitted through fit.Trainer only.
func TestOneDoor(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		skip := !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "engine/fit/")
		if err != nil || skip {
			return err
		}
		text, err := os.ReadFile(path)
		if call := solver.Find(text); call != nil {
			t.Errorf("%s calls %s…): ask fit.Trainer", path, call)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, "taper/")
		if name == "internal" || strings.HasPrefix(name, "bench/") {
			continue // this package, and benchmark programs
		}
		allowed, known := may[name]
		if !known {
			t.Errorf("%s has no place in the list of this test", name)
			continue
		}
		seen[name] = true
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, "taper/"); ok && !slices.ContainsFunc(allowed, func(a string) bool { return matches(a, ours) }) {
				t.Errorf("%s imports %s; it may import %v", name, ours, allowed)
			}
			for room, banned := range outside {
				if !matches(room+"/...", name) {
					continue
				}
				if i := slices.IndexFunc(banned, func(b string) bool { return imp == b || strings.HasPrefix(imp, b) && strings.HasSuffix(b, "/") }); i >= 0 {
					t.Errorf("%s imports %s, which %s must not know", name, imp, room)
				}
			}
		}
	}
	for _, must := range []string{"cmd/web", "internal/web", "internal/store", "internal/engine", "web/templates"} {
		if !seen[must] {
			t.Errorf("go list did not show %s", must)
		}
	}
}

// matches reports whether name is pattern, or is below it for "pattern/...".
func matches(pattern, name string) bool {
	root, tree := strings.CutSuffix(pattern, "/...")
	return name == root || tree && strings.HasPrefix(name, root+"/")
}

// list returns our packages without tests.
func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "taper/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs
		case err != nil:
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

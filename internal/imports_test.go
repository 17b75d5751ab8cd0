// Package internal_test holds rules about the whole tree.
package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// may lists what each of our packages may import of ours: imports run one way
// (docs/architecture.md). A package that is not listed fails the test, so that
// a new room gets its place here first.
var may = map[string][]string{
	"cmd/web":                         {"cmd/web/...", "internal/store", "internal/viz", "internal/engine/...", "web/templates", "web/static", "testdata"},
	"cmd/web/wording":                 {"internal/viz", "internal/engine", "internal/engine/synth", "internal/engine/errs"},
	"cmd/web/query":                   {"cmd/web/wording", "internal/engine/loss", "internal/engine/table", "internal/engine/errs"},
	"cmd/web/bounds":                  {"cmd/web/wording", "internal/viz"},
	"cmd/web/widget":                  {"cmd/web/wording", "cmd/web/query", "internal/viz", "web/templates"},
	"cmd/web/runview":                 {"cmd/web/wording", "cmd/web/widget", "cmd/web/bounds", "internal/viz", "internal/engine", "internal/engine/check", "internal/engine/loss", "internal/engine/metric", "internal/engine/prep", "internal/engine/table", "web/templates"},
	"cmd/web/report":                  {"cmd/web/runview", "cmd/web/wording", "cmd/web/widget", "internal/store", "internal/viz", "internal/engine", "internal/engine/audit", "internal/engine/check", "internal/engine/method", "internal/engine/metric", "internal/engine/prep", "internal/engine/spline", "internal/engine/table", "web/templates"},
	"cmd/web/explore":                 {"cmd/web/wording", "cmd/web/query", "cmd/web/bounds", "cmd/web/widget", "cmd/web/cache", "cmd/web/mathml", "internal/viz", "internal/engine/loss", "internal/engine/landscape", "internal/engine/parallel", "internal/engine/synth", "internal/engine/table", "internal/engine/tempered", "internal/engine/errs", "web/templates"},
	"cmd/web/play":                    {"cmd/web/wording", "cmd/web/query", "cmd/web/bounds", "cmd/web/widget", "cmd/web/cache", "internal/store", "internal/viz", "internal/engine", "internal/engine/arena", "internal/engine/method", "internal/engine/loss", "internal/engine/metric", "internal/engine/prep", "internal/engine/synth", "internal/engine/table", "internal/engine/train", "internal/engine/errs", "web/templates"},
	"cmd/web/compareview":             {"cmd/web/wording", "cmd/web/bounds", "cmd/web/widget", "cmd/web/explore", "internal/viz", "internal/engine", "internal/engine/compare", "internal/engine/loss", "internal/engine/metric", "internal/engine/parallel", "internal/engine/prep", "internal/engine/errs", "web/templates"},
	"cmd/web/help":                    {"cmd/web/explore", "cmd/web/mathml", "web/templates"},
	"cmd/web/mathml":                  {"web/templates"},
	"cmd/web/studyform":               {"internal/engine/study", "internal/engine/method", "internal/engine/synth", "internal/engine/errs", "internal/viz", "cmd/web/query", "web/templates"},
	"cmd/web/studyreport":             {"internal/engine/study", "internal/engine/train", "internal/engine/errs", "internal/store", "internal/viz", "cmd/web/studyform", "cmd/web/widget", "cmd/web/wording", "web/templates"},
	"cmd/web/cache":                   {},
	"internal/store":                  {"internal/engine", "internal/engine/...", "migrations"},
	"internal/viz":                    {"internal/engine", "internal/engine/arena", "internal/engine/study", "internal/engine/loss", "internal/engine/metric", "internal/engine/errs", "internal/engine/table"},
	"internal/engine":                 {"internal/engine/method", "internal/engine/loss", "internal/engine/train", "internal/engine/train/potential", "internal/engine/boost", "internal/engine/table", "internal/engine/check", "internal/engine/prep", "internal/engine/spline", "internal/engine/metric", "internal/engine/parallel", "internal/engine/synth", "internal/engine/audit", "internal/engine/errs"},
	"internal/engine/method":          {"internal/engine/loss", "internal/engine/train", "internal/engine/train/potential", "internal/engine/boost", "internal/engine/errs"},
	"internal/engine/compare":         {"internal/engine", "internal/engine/metric", "internal/engine/parallel"},
	"internal/engine/study":           {"testdata", "internal/engine/landscape", "internal/engine", "internal/engine/method", "internal/engine/loss", "internal/engine/train", "internal/engine/train/potential", "internal/engine/boost", "internal/engine/metric", "internal/engine/prep", "internal/engine/table", "internal/engine/synth", "internal/engine/errs"},
	"internal/engine/study/stored":    {"internal/engine/study", "internal/engine/method"},
	"internal/engine/arena":           {"internal/engine", "internal/engine/method", "internal/engine/loss", "internal/engine/train", "internal/engine/train/potential", "internal/engine/boost", "internal/engine/metric", "internal/engine/parallel", "internal/engine/table", "internal/engine/synth", "internal/engine/errs"},
	"internal/engine/audit":           {"internal/engine/table", "internal/engine/errs"},
	"internal/engine/metric":          {"internal/engine/spline", "internal/engine/parallel", "internal/engine/errs"},
	"internal/engine/spline":          {},
	"internal/engine/synth":           {"internal/engine/train", "internal/engine/loss", "internal/engine/table", "internal/engine/errs"},
	"internal/engine/job":             {"internal/engine/errs", "internal/engine/train"},
	"internal/engine/prep":            {"internal/engine/spline", "internal/engine/table", "internal/engine/train", "internal/engine/errs"},
	"internal/engine/table":           {"internal/engine/errs", "internal/engine/parallel"},
	"internal/engine/check":           {"internal/engine/table", "internal/engine/prep", "internal/engine/metric", "internal/engine/errs"},
	"internal/engine/boost":           {"internal/engine/loss", "internal/engine/parallel", "internal/engine/tempered", "internal/engine/train", "internal/engine/errs"},
	"internal/engine/train":           {"internal/engine/loss", "internal/engine/tempered", "internal/engine/errs"},
	"internal/engine/train/potential": {"internal/engine/loss", "internal/engine/parallel", "internal/engine/train", "internal/engine/errs"},
	"internal/engine/loss":            {"internal/engine/tempered", "internal/engine/errs"},
	"internal/engine/landscape":       {"internal/engine/loss"},
	"internal/engine/tempered":        {},
	"internal/engine/errs":            {},
	"internal/engine/parallel":        {},
	"web/templates":                   {},
	"web/templates/sheet":             {"web/templates"},
	"web/static":                      {},
	"migrations":                      {},
	"internal/testtime":               {},
	"testdata":                        {"internal/engine/synth", "internal/engine/table"},
}

// outside bans packages of others from rooms that must not know them: the
// engine knows neither HTTP nor SQL nor charts, pages know templ alone.
var outside = map[string][]string{
	"internal/engine":     {"net/http", "database/sql", "github.com/labstack/", "github.com/a-h/templ", "github.com/go-echarts/", "modernc.org/"},
	"internal/viz":        {"net/http", "database/sql", "github.com/labstack/", "github.com/a-h/templ", "modernc.org/"},
	"internal/store":      {"net/http", "github.com/labstack/", "github.com/a-h/templ", "github.com/go-echarts/"},
	"web/templates":       {"net/http", "database/sql", "github.com/labstack/", "github.com/go-echarts/", "modernc.org/"},
	"cmd/web":             {"database/sql", "github.com/go-echarts/", "modernc.org/"},
	"cmd/web/explore":     {"net/http", "github.com/labstack/"},
	"cmd/web/play":        {"net/http", "github.com/labstack/"},
	"cmd/web/report":      {"net/http", "github.com/labstack/"},
	"cmd/web/runview":     {"net/http", "github.com/labstack/"},
	"cmd/web/compareview": {"net/http", "github.com/labstack/"},
	"cmd/web/help":        {"net/http", "github.com/labstack/"},
	"cmd/web/wording":     {"net/http", "github.com/labstack/"},
	"cmd/web/query":       {"net/http", "github.com/labstack/"},
	"cmd/web/bounds":      {"net/http", "github.com/labstack/"},
	"cmd/web/widget":      {"net/http", "github.com/labstack/"},
}

// TestMap: a room of the engine stands on the map.
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

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, "taper/")
		if name == "internal" || strings.HasPrefix(name, "bench/") {
			continue // this package; programs that measure
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
	for _, must := range []string{"cmd/web", "internal/store", "internal/engine", "web/templates"} {
		if !seen[must] {
			t.Errorf("go list did not show %s", must)
		}
	}
}

// matches reports whether name is pattern, or lies under it for "pattern/...".
func matches(pattern, name string) bool {
	root, tree := strings.CutSuffix(pattern, "/...")
	return name == root || tree && strings.HasPrefix(name, root+"/")
}

// list returns our packages without their tests.
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

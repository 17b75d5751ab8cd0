package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/stat"
)

// spelled are labels of statistics that are written a second time in Go, by file, with the
// reason.
var spelled = map[string]map[string]string{
	"internal/engine/class_run.go": {
		"mean cost":           "the name of a criterion, kept with results",
		"abstention loss":     "the name of a criterion, kept with results",
		"mean absolute error": "the name of a criterion, kept with results",
	},
	"internal/web/page/scoring/classes.go": {"mean cost": "the name of a criterion"},
	"internal/web/resultview/classes.go":   {"mean cost": "the name of a criterion"},
	"web/templates/sheet/sheet.go":         {"Observed rate": "a table made up for tests"},
	"internal/web/format/statistic.go":     {"Brier": "a name, which keeps its capital"},
	"internal/engine/synth/margin.go":      {"share of events": "a parameter of a generator"},
}

// TestLabels: the labels of statistics are defined in stat.All only. Rows, events and slope are
// ordinary words.
func TestLabels(t *testing.T) {
	common := map[string]bool{"Rows": true, "Events": true, "Slope": true}
	labels := map[string]bool{}
	for _, s := range stat.All {
		for _, label := range []string{s.Label, s.Short} {
			if label == "" || common[label] {
				continue
			}
			labels[label] = true
			if lower := strings.ToLower(label[:1]) + label[1:]; strings.Contains(label, " ") {
				labels[lower] = true // as within a sentence
			}
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || path == filepath.Join("..", "internal", "engine", "stat")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && labels[text] && spelled[name][text] == "" {
				t.Errorf("%s spells %q: take the label from stat.ByID", name, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

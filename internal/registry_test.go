package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/task"
)

// homes are the folders of the registries of losses and tasks, and of the solvers.
var homes = []string{"internal/engine/loss/", "internal/engine/task/", "internal/engine/fit/"}

// names are the files that may refer to a loss or a task by id, with the reason. Others use a
// method or a field of loss.Family or task.Task: docs/add-a-loss.md.
var names = map[string]string{
	"internal/engine/study/paper/":               "a preset redoes a figure of a paper, with its losses",
	"internal/engine/study/stored/stored.go":     "so do the studies that ship with the program",
	"internal/web/page/explore/":                 "the explorer has a page for each loss of the papers, and presets of them",
	"internal/web/page/help/":                    "topics about single losses",
	"internal/web/page/report/printed.go":        "logistic regression goes by its id in the report",
	"internal/web/page/playground/presets.go":    "presets",
	"internal/web/page/playground/address.go":    "the methods that the page opens with",
	"internal/web/page/playground/setting.go":    "values that show more than the defaults of the losses",
	"internal/web/page/studyreport/":             "the robustness page speaks of the losses it was made for",
	"internal/web/page/stratify/method.go":       "a choice of kernel losses, and the limits of the page's sliders",
	"internal/web/page/stratify/method_panel.go": "a note about each loss that is shorter than its own",
}

// TestRegistries: a loss or a task is a single registry entry. No other code contains its id or
// compares with it.
func TestRegistries(t *testing.T) {
	own := map[string]bool{} // ids that have no other meaning
	ids := map[string]bool{}
	for _, f := range loss.Families {
		ids[f.ID], own[f.ID] = true, true
	}
	for _, about := range task.All {
		ids[about.ID()], own[about.ID()] = true, true
	}
	for _, word := range []string{"interval", "logistic", "alpha", "softmax", "binary", "ordinal", "abstain", "zero-one"} {
		delete(own, word) // a mode, a link, a parameter, a start, a form or a metric too: only comparisons are checked
	}
	used := map[string]bool{}
	for _, root := range []string{"internal", "cmd", "web/templates"} {
		err := filepath.WalkDir("../"+root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "_templ.go") {
				return err
			}
			path = filepath.ToSlash(strings.TrimPrefix(path, "../"))
			if slices.ContainsFunc(homes, func(home string) bool { return strings.HasPrefix(path, home) }) {
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, "../"+path, nil, 0)
			if err != nil {
				return err
			}
			found := func(at token.Pos) {
				for home := range names {
					if strings.HasPrefix(path, home) {
						used[home] = true
						return
					}
				}
				t.Errorf("%s:%d: a loss or a task by its name: ask its entry", path, set.Position(at).Line)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if id, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && own[id] {
						found(n.Pos())
					}
				case *ast.BinaryExpr:
					if named(n.X) && literal(n.Y, ids) || named(n.Y) && literal(n.X, ids) {
						found(n.Pos())
					}
				case *ast.SwitchStmt:
					for _, c := range n.Body.List {
						is := func(e ast.Expr) bool { return literal(e, ids) }
						if named(n.Tag) && slices.ContainsFunc(c.(*ast.CaseClause).List, is) {
							found(c.Pos())
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for home, why := range names {
		if !used[home] {
			t.Errorf("%s names none any more (%s): take it off the list", home, why)
		}
	}
}

// named reports whether an expression is the id of a loss or a task: m.Loss, f.ID of a Family,
// st.Task, lossID.
func named(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return named(e.Fun)
	case *ast.Ident:
		return e.Name == "lossID"
	case *ast.SelectorExpr:
		inner, _ := e.X.(*ast.SelectorExpr)
		return slices.Contains([]string{"Loss", "LossID", "Task", "Method"}, e.Sel.Name) ||
			e.Sel.Name == "ID" && inner != nil && slices.Contains([]string{"Family", "Method"}, inner.Sel.Name)
	}
	return false
}

func literal(e ast.Expr, ids map[string]bool) bool {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	id, err := strconv.Unquote(lit.Value)
	return err == nil && ids[id]
}

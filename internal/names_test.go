package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// homemade are words that no exported name may contain, each with the field's term.
var homemade = map[string]string{
	"anew":    "again, or what is done the second time",
	"arena":   "playground, sample",
	"aside":   "note, unit",
	"beside":  "comparison, baseline",
	"doubt":   "issue, caveat, data check",
	"doubts":  "issues, caveats, data checks",
	"errs":    "user error",
	"intake":  "dataset service",
	"judge":   "evaluate, test, certify",
	"judged":  "evaluated, test rows, held-out rows",
	"judges":  "test rows, folds",
	"judging": "evaluation",
	"moved":   "recalibrated, reclassified, shifted",
	"rival":   "comparison model, baseline",
	"rivals":  "comparison models",
	"several": "multiclass",
	"shelf":   "library, presets",
	"spoil":   "corrupt",
	"spoilt":  "corrupted label",
	"tells":   "discloses, discriminates",
	"told":    "disclosed, discriminated",
	"twin":    "copy, continuation",
	"wording": "presentation, format",
}

// unnamed are exported names that still contain such a word: fields stored under that name, or
// used in many pages and reports.
var unnamed = map[string]bool{"Beside": true, "ClassBeside": true, "Judged": true}

// TestNames: exported types, functions, methods, fields, constants and variables use the terms
// of the field.
func TestNames(t *testing.T) {
	check := func(set *token.FileSet, id *ast.Ident) {
		if id == nil || !id.IsExported() {
			return
		}
		for _, word := range wordsOf(id.Name) {
			instead, ours := homemade[word]
			if !ours {
				continue
			}
			if !unnamed[id.Name] {
				t.Errorf("%s: %s has the word ‘%s’: use %s", set.Position(id.Pos()), id.Name, word, instead)
			}
		}
	}
	for _, root := range []string{"../internal", "../cmd", "../bench", "../web", "../testdata"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "_templ.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					check(set, n.Name)
				case *ast.TypeSpec:
					check(set, n.Name)
				case *ast.ValueSpec:
					for _, id := range n.Names {
						check(set, id)
					}
				case *ast.Field:
					for _, id := range n.Names {
						check(set, id)
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
}

// wordsOf splits a name in camel case into lower-case words.
func wordsOf(name string) (words []string) {
	letters, from := []rune(name), 0
	for i := 1; i <= len(letters); i++ {
		if i == len(letters) || unicode.IsUpper(letters[i]) &&
			(unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			words, from = append(words, strings.ToLower(string(letters[from:i]))), i
		}
	}
	return words
}

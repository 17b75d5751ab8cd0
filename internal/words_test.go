package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"taper/internal/terms"
)

// TestWords: texts for readers use the terms of the field. It checks texts in Go, templates,
// scripts and documents; identifiers and data are not checked.
func TestWords(t *testing.T) {
	for _, s := range texts(t) {
		for _, hit := range terms.Banned(s.text) {
			t.Errorf("%s:%d: %s, in %q", s.path, s.line, hit, s.text)
		}
	}
}

// TestWordsOfComments: comments use the terms of the field, too, in Go with its tests, scripts and style sheets. Not
// checked are quotations, names of the code (joined to another by a dot or a bracket, or an identifier of the file), and
// words that programs and their tests have another meaning for.
func TestWordsOfComments(t *testing.T) {
	for _, s := range comments(t) {
		for _, hit := range terms.Banned(codeWord.ReplaceAllString(s.text, "…")) {
			t.Errorf("%s:%d: %s, in %q", s.path, s.line, hit, s.text)
		}
	}
}

// codeWord is what a comment quotes of the code, or of the data.
var codeWord = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|“[^”]*”|‘[^’]*’|\\w+[.(]\\w+\\)?|" +
	`(?i)\b(called|by hand|steer(s|ed|ing)?|promis(e|es|ed)|borders?|let go|1_000)\b|\be\^−`)

// comments are the comments of the repository, a block of lines as one text.
func comments(t *testing.T) (all []text) {
	for _, root := range []string{"internal", "cmd", "web", "bench", "migrations"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			where := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			switch {
			case d.IsDir() && (d.Name() == "vendor" || d.Name() == "testdata" || d.Name() == "out" || where == "internal/terms"):
				return filepath.SkipDir
			case d.IsDir(), strings.HasSuffix(path, "_templ.go"):
			case strings.HasSuffix(path, ".go"):
				all = append(all, goComments(t, path, where)...)
			case strings.HasSuffix(path, ".js"), strings.HasSuffix(path, ".css"), strings.HasSuffix(path, ".mjs"):
				all = append(all, scriptComments(t, path, where)...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// goComments are the comments of a Go file but for directives.
func goComments(t *testing.T, path, where string) (all []text) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && len(terms.Banned(id.Name)) > 0 {
			named[id.Name] = true
		}
		return true
	})
	for _, group := range file.Comments {
		words := strings.Fields(group.Text())
		for i, w := range words {
			if named[strings.Trim(w, ".,;:()")] {
				words[i] = "…"
			}
		}
		all = append(all, text{where, set.Position(group.Pos()).Line, strings.Join(words, " ")})
	}
	return all
}

var scriptComment = regexp.MustCompile(`(?ms)/\*.*?\*/|(?:^|\s)//.*?$(?:\n\s*//.*?$)*`)

// scriptComments are the comments of a script or a style sheet.
func scriptComments(t *testing.T, path, where string) (all []text) {
	whole := strings.Join(lines(t, path), "\n")
	for _, at := range scriptComment.FindAllStringIndex(whole, -1) {
		words := strings.NewReplacer("//", " ", "/*", " ", "*/", " ").Replace(whole[at[0]:at[1]])
		all = append(all, text{where, 1 + strings.Count(whole[:at[0]], "\n"), strings.Join(strings.Fields(words), " ")})
	}
	return all
}

// text is a text for readers, with its position.
type text struct {
	path string
	line int
	text string
}

// texts collects the texts of the repository: string literals of Go with words, text and labels
// of templates, literals of scripts, documents without code.
func texts(t *testing.T) (all []text) {
	for _, root := range []string{"internal", "cmd", "web", "docs", "README.md"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			where := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			switch {
			case d.IsDir() && (d.Name() == "vendor" || d.Name() == "testdata" || where == "internal/store" || where == "internal/terms"):
				return filepath.SkipDir
			case d.IsDir(), strings.HasSuffix(path, "_test.go"):
			case strings.HasSuffix(path, ".go"):
				all = append(all, goTexts(t, path, where)...)
			case strings.HasSuffix(path, ".md"):
				all = append(all, markdownTexts(t, path, where)...)
			case strings.HasSuffix(path, ".js"):
				all = append(all, scriptTexts(t, path, where)...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// goTexts are the string literals of a Go file that are texts; concatenated literals are
// joined. Of struct tags it takes the labels, of generated templates the text outside of HTML
// tags.
func goTexts(t *testing.T, path, where string) (all []text) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	generated := strings.HasSuffix(path, "_templ.go")
	add := func(at ast.Node, s string) {
		if generated {
			s = outsideHTML(s)
		}
		if isText(s) {
			all = append(all, text{where, set.Position(at.Pos()).Line, s})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tag, _ := strconv.Unquote(n.Tag.Value)
				for _, label := range tagLabel.FindAllStringSubmatch(tag, -1) {
					add(n.Tag, label[1]+" ")
				}
			}
			return n.Tag == nil
		case *ast.BinaryExpr:
			if s, ok := joined(n); ok && n.Op == token.ADD {
				add(n, s)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				s, _ := strconv.Unquote(n.Value)
				add(n, s)
			}
		}
		return true
	})
	return all
}

var tagLabel = regexp.MustCompile(`(?:label|hint|doc|description|words|enum)="?:?"([^"]*)"`)

// joined returns a concatenation of string literals as one text.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, first := joined(e.X)
		b, second := joined(e.Y)
		return a + b, first && second
	}
	return "", false
}

var (
	htmlLabel = regexp.MustCompile(`(?:aria-label|title|placeholder|alt)=\\?"([^"]*)\\?"`)
	htmlTag   = regexp.MustCompile(`(?s)^[^<>]*>|<[^>]*(?:>|$)`)
)

// outsideHTML is the text of an HTML fragment, with the labels of its elements.
func outsideHTML(s string) string {
	var labels []string
	for _, label := range htmlLabel.FindAllStringSubmatch(s, -1) {
		labels = append(labels, label[1])
	}
	return strings.TrimSpace(htmlTag.ReplaceAllString(s, " ") + " " + strings.Join(labels, " "))
}

// isText reports whether a literal is for readers: several words, or one with a capital
// initial, and not SQL, a formula or a style sheet.
func isText(s string) bool {
	if notText.MatchString(s) {
		return false
	}
	return strings.Contains(s, " ") || label.MatchString(s)
}

var (
	notText = regexp.MustCompile(`\\(frac|log|max|exp|textstyle)|^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|PRAGMA) `)
	label   = regexp.MustCompile(`^\p{Lu}\p{Ll}+`)
)

var (
	code      = regexp.MustCompile("`[^`]*`")
	linkTo    = regexp.MustCompile(`(docs/[\w-]+\.md)?\]\([^)]*\)`)
	scriptLit = regexp.MustCompile("'(?:[^'\\\\\n]|\\\\.)*'|`[^`]*`")
	comment   = regexp.MustCompile(`^\s*(//|\*|/\*)`)
)

// markdownTexts are the lines of a document without code and link targets.
func markdownTexts(t *testing.T, path, where string) (all []text) {
	fenced := false
	for i, l := range lines(t, path) {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		} else if !fenced {
			all = append(all, text{where, i + 1, linkTo.ReplaceAllString(code.ReplaceAllString(l, "‘…’"), "")})
		}
	}
	return all
}

// scriptTexts are the literals of a script that are texts.
func scriptTexts(t *testing.T, path, where string) (all []text) {
	for i, l := range lines(t, path) {
		if comment.MatchString(l) {
			continue
		}
		for _, s := range scriptLit.FindAllString(l, -1) {
			if s = s[1 : len(s)-1]; isText(s) {
				all = append(all, text{where, i + 1, s})
			}
		}
	}
	return all
}

func lines(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")
}

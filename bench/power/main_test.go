package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/study"
)

// TestChanges: every patch still applies and gives valid Go, and its input exists: units of the preset, published
// numbers that they fill, and the golden test.
func TestChanges(t *testing.T) {
	const root = "../.."
	names := map[string]bool{}
	for _, c := range changes {
		if names[c.name] || c.old == c.new {
			t.Errorf("%s: a second of that name, or no change", c.name)
		}
		names[c.name] = true
		text, err := c.patched(root)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), c.file, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		c.runs.check(t)
		if c.golden.test != "" && !declared(t, filepath.Join(root, c.golden.pkg), c.golden.test) {
			t.Errorf("%s: %s has no %s", c.name, c.golden.pkg, c.golden.test)
		}
	}
}

func (r run) check(t *testing.T) {
	t.Helper()
	i := slices.IndexFunc(presets(), func(p study.Preset) bool { return p.ID == r.preset })
	if i < 0 {
		t.Errorf("no preset %s", r.preset)
		return
	}
	p := presets()[i]
	plan, err := p.Build(study.Input{Size: r.size, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	filled := map[study.Key]bool{}
	for _, begin := range r.units {
		if !slices.ContainsFunc(plan.Units, func(u study.Unit) bool { return strings.HasPrefix(u.ID, begin) }) {
			t.Errorf("%s has no unit %q…", r.preset, begin)
		}
	}
	for _, u := range plan.Units {
		if r.has(u.ID) {
			for _, k := range u.Keys {
				filled[k] = true
			}
		}
	}
	if !slices.ContainsFunc(p.References, func(r study.Reference) bool { return filled[r.Key] }) {
		t.Errorf("%s: no verdict", r)
	}
}

// declared reports whether a package has a test of that name.
func declared(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	test, _, _ = strings.Cut(test, "/")
	line := regexp.MustCompile(`(?m)^func ` + test + `\(`)
	return slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && line.Match(text)
	})
}

// TestPatchThatNoLongerApplies: a text that occurs not at all, or twice, is refused.
func TestPatchThatNoLongerApplies(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\nvar x, y = 1, 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, want string }{
		{"y = 2", "0 times"}, {"1", "2 times"}, {"x, y", ""},
	} {
		text, err := change{file: "a.go", old: c.old, new: "z, y"}.patched(root)
		if c.want == "" && (err != nil || string(text) != "package a\nvar z, y = 1, 1\n") {
			t.Errorf("%q: %q, %v", c.old, text, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), "no longer applies") || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v", c.old, err)
		}
	}
}

// TestTold: a verdict notices a change if it holds without it and fails with it; one that fails in both cases does
// not.
func TestTold(t *testing.T) {
	verdict := func(name string, ours float64, holds bool) judged {
		return judged{Name: name, Ours: ours, Value: 0.5, Allowed: 0.01, Holds: holds}
	}
	right := []judged{verdict("a", 0.5, true), verdict("b", 0.6, false), verdict("c", 0.5, true)}
	for _, c := range []struct {
		name  string
		wrong []judged
		want  string
	}{
		{"nothing changed", right, ""},
		{"known to differ", []judged{verdict("a", 0.5, true), verdict("b", 0.9, false), verdict("c", 0.5, true)}, ""},
		{"one", []judged{verdict("a", 0.52, false), verdict("b", 0.5, true), verdict("c", 0.5, true)},
			"a: 0.52 where the reference is 0.5 ± 0.01"},
		{"two, the worse first", []judged{verdict("a", 0.52, false), verdict("b", 0.9, false), verdict("c", 0.4, false)},
			"c: 0.4 where the reference is 0.5 ± 0.01; 1 more of 3"},
		{"a claim", []judged{{Name: "a", Ours: 0.01, Allowed: 0.02, Sign: 1}},
			"a: 0.01 ± 0.02, and not on the side that is claimed"},
	} {
		if got := told(right, c.wrong); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestJudge runs the units of the cheapest change: the exact numbers hold.
func TestJudge(t *testing.T) {
	all, err := judge(t.Context(), population)
	if err != nil || len(all) < 12 {
		t.Fatalf("%d verdicts, %v", len(all), err)
	}
	for _, v := range all {
		if !v.Holds {
			t.Errorf("%+v", v)
		}
	}
	if _, err := judge(t.Context(), run{preset: "nothing"}); err == nil {
		t.Error("judged a preset that is not there")
	}
}

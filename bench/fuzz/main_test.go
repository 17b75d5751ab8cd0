package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoted(t *testing.T) {
	const head = "# T\n\n| package | test | executions | kept | last run |\n|---|---|---|---|---|\n"
	text := head
	for _, step := range []struct {
		t    target
		n    int
		want string
	}{
		{target{"b", "FuzzB"}, 5, "| `b` | FuzzB | 5 | 1 | day |\n"},
		{target{"a", "FuzzA"}, 7, "| `a` | FuzzA | 7 | 1 | day |\n| `b` | FuzzB | 5 | 1 | day |\n"},
		{target{"b", "FuzzB"}, 10, "| `a` | FuzzA | 7 | 1 | day |\n| `b` | FuzzB | 15 | 1 | day |\n"},
		{target{"c", "FuzzC"}, 1, "| `a` | FuzzA | 7 | 1 | day |\n| `b` | FuzzB | 15 | 1 | day |\n| `c` | FuzzC | 1 | 1 | day |\n"},
	} {
		if text = noted(text, step.t, step.n, 1, "day"); text != head+step.want {
			t.Errorf("after %v: %q", step.t, text)
		}
	}
}

// TestTargets: every fuzz test of the tree has a row in docs/fuzz.md.
func TestTargets(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := targets(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "fuzz.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		one.dir, _ = filepath.Rel(root, one.dir)
		if !strings.Contains(string(text), one.head()) {
			t.Errorf("%v has no row in docs/fuzz.md", one)
		}
	}
	if len(all) < 40 {
		t.Errorf("%d fuzz tests are found", len(all))
	}
}

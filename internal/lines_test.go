package internal_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// column is the widest line, in characters; a tab is one, as it is to `make bench-structure`.
const column = 120

// TestLines: a line of hand-written Go is no wider than a window beside another one. Tests are
// exempt: their tables have a case per line, and generated files are not read.
func TestLines(t *testing.T) {
	read := 0
	for _, root := range []string{"internal", "cmd", "web", "bench", "migrations", "testdata"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			name := d.Name()
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasSuffix(name, "_templ.go") {
				return err
			}
			read++
			for i, l := range lines(t, path) {
				if n := utf8.RuneCountInString(l); n > column {
					t.Errorf("%s:%d has %d characters: break it before %d", path, i+1, n, column)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 500 {
		t.Fatalf("read %d files: the folders are not those of the repository", read)
	}
}

package internal_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// column is the longest line in bytes, as most tools count; a tab is one byte.
const column = 120

// TestLines: lines of hand-written Go have at most column bytes, so that two files fit side by
// side on a screen. Tests are exempt, since their tables have one case per line; generated
// files are not checked.
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
			text := lines(t, path)
			if strings.HasPrefix(text[0], "// Code generated ") {
				return nil
			}
			for i, l := range text {
				if len(l) > column {
					t.Errorf("%s:%d has %d bytes: break it before %d", path, i+1, len(l), column)
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

package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// csvWriter is the only file that may write CSV without table.NewCSV, because it implements it.
const csvWriter = "internal/engine/table/guard.go"

// TestCSVGuarded: CSV is written only through package table, which guards cells that a
// spreadsheet would run as a formula.
func TestCSVGuarded(t *testing.T) {
	for _, root := range []string{"../cmd", "../internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), "csv.NewWriter(") && filepath.ToSlash(path[len("../"):]) != csvWriter {
				t.Errorf("%s writes CSV without a guard against formulas: take table.NewCSV", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

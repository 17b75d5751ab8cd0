package table_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"taper/internal/engine/table"
)

// TestTravel: a table has the same cells, levels, roles and notes after its journey, NaN among them, and a
// text that is cut short or goes on is refused.
func TestTravel(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/csv/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := table.Read(t.Context(), data, table.Options{}, table.DefaultLimits)
		if err != nil {
			continue // a sample that asks for its dialect
		}
		for _, c := range want.Columns {
			if c.Num != nil {
				c.Num[0] = math.NaN()
			}
		}
		text, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Decode(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s is another table after its journey: %v", file, err)
		}
		for i, c := range want.Columns {
			g := got.Columns[i]
			if g.Name != c.Name || g.Type != c.Type || len(g.Num) != len(c.Num) || len(g.Code) != len(c.Code) ||
				(g.Code == nil) != (c.Code == nil) {
				t.Errorf("%s: column %s came as %+v", file, c.Name, g)
			}
			for row := range c.Num {
				if math.Float64bits(g.Num[row]) != math.Float64bits(c.Num[row]) {
					t.Fatalf("%s: row %d of %s is %v, want %v", file, row, c.Name, g.Num[row], c.Num[row])
				}
			}
			for row := range c.Code {
				if g.Code[row] != c.Code[row] {
					t.Fatalf("%s: row %d of %s is level %d, want %d", file, row, c.Name, g.Code[row], c.Code[row])
				}
			}
		}
		for _, bad := range [][]byte{nil, text[:len(text)/2], text[:len(text)-1], append(bytes.Clone(text), 0)} {
			if _, err := table.Decode(bad); err == nil {
				t.Errorf("%s: %d of %d bytes are read as a table", file, len(bad), len(text))
			}
		}
		clear(text)
		if check, err := got.Encode(); err != nil || !bytes.Equal(check, again) {
			t.Errorf("%s: the table changes with the bytes it was read from: %v", file, err)
		}
		got.Wipe()
		for _, c := range got.Columns {
			for row, v := range c.Num {
				if v != 0 {
					t.Fatalf("%s: row %d of %s is %v after wiping", file, row, c.Name, v)
				}
			}
		}
	}
}

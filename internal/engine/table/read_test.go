package table

import (
	"context"
	"testing"
)

// mustRead reads text with everything detected.
func mustRead(t *testing.T, text string, opt Options) *Table {
	t.Helper()
	tab, err := Read(context.Background(), []byte(text), opt, Limits{})
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return tab
}

func TestReadSmall(t *testing.T) {
	tab := mustRead(t, "age,sex\n61,m\n58.5,f\n,m\n", Options{})
	if tab.Rows != 3 || len(tab.Columns) != 2 {
		t.Fatalf("%d rows, %d columns", tab.Rows, len(tab.Columns))
	}
	if c := tab.Columns[0]; c.Type != Number || c.Num[1] != 58.5 || c.Missing != 1 || c.Distinct != 2 {
		t.Errorf("age: %+v", c)
	}
	if c := tab.Columns[1]; c.Type != Boolean || c.Levels[1] != "f" || c.Count[0] != 2 {
		t.Errorf("sex: %+v", c)
	}
}

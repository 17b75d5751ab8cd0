package datasets

import (
	"testing"

	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// TestTableCacheKeepsTwoReadings: the table parsed for a run and the current one are both
// cached, and a third replaces the older.
func TestTableCacheKeepsTwoReadings(t *testing.T) {
	c := newTableCache(1000, cost.Memory{})
	as := func(code string) store.Dataset {
		return store.Dataset{ID: "d1", Options: table.Options{Dialect: table.Dialect{Missing: []string{code}}}}
	}
	for _, code := range []string{"a", "b", "c"} {
		c.put(as(code), &table.Table{Rows: 1})
		if c.find("d1", fingerprint(as("a"))) == nil && code != "c" {
			t.Errorf("after %s the first is gone", code)
		}
	}
	// a was used after b
	for code, there := range map[string]bool{"a": true, "b": false, "c": true} {
		if (c.find("d1", fingerprint(as(code))) != nil) != there {
			t.Errorf("%s: %v", code, !there)
		}
	}
	c.drop("d1")
	if n := c.tables.Len(); n != 0 {
		t.Errorf("%d tables of a dropped dataset", n)
	}
}

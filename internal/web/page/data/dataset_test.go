package data

import (
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// TestBarWithoutOutcome: before an outcome is chosen the columns are counted, because one of them will be the outcome.
func TestBarWithoutOutcome(t *testing.T) {
	tab := tabletest.ByHand(tabletest.Numbers("age", 1, 2, 3, 4), tabletest.Texts("dead", "0", "1", "0", "1"))
	d := store.Dataset{Rows: 4}
	if got := barView(d, tab).Rest; got != ", 2 columns, 4 rows" {
		t.Errorf("without an outcome: %q", got)
	}
	d.Choice = store.Choice{Outcome: "dead", Positive: table.Levels{"1"}}
	if got := barView(d, tab).Rest; !strings.HasPrefix(got, ", 1 predictor, ") {
		t.Errorf("with an outcome: %q", got)
	}
}

package report

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/store"
)

// TestSharesTellNoHiddenCount: 167 of a class printed as 99.4 % would say that
// one row is left, whatever print hides of it. Classes that are shown keep theirs.
func TestSharesTellNoHiddenCount(t *testing.T) {
	level := func(name string, others, events float64) engine.Table1Row {
		return engine.Table1Row{Name: "ascites", Level: name, Negative: [3]float64{others, others / 168}, Positive: [3]float64{events, events / 125}}
	}
	for _, c := range []struct {
		name         string
		one, zero    engine.Table1Row
		rows, events int
		shares       bool
	}{
		{"one row", level("1", 1, 23), level("0", 167, 102), 293, 125, false},
		{"rows without a value are the few", level("1", 40, 23), level("0", 120, 102), 293, 125, false},
		{"nothing small", level("1", 40, 23), level("0", 128, 102), 293, 125, true},
	} {
		for i, row := range levelRows([]engine.Table1Row{c.one, c.zero}, c.rows, c.events)[1:] {
			for _, cell := range row.Cells[1:3] {
				if (cell.Small() != "") != c.shares {
					t.Errorf("%s: level %d prints %q %q", c.name, i, cell.Text(), cell.Small())
				}
			}
		}
	}
	// The table of an external validation prints the same lines, here and of development.
	s := external.Shift{Name: "ascites", N: []int{168, 125}, Levels: []external.ShiftLevel{{Level: "1", N: []int{1, 23}}, {Level: "0", N: []int{167, 102}}}}
	x := External{e: &external.Evaluation{Rows: 293, Events: 125}, run: store.Run{Result: &engine.Result{}}}
	for _, row := range x.shiftLevels(s, nil) {
		for _, cell := range row.Cells {
			if cell.Small() != "" {
				t.Errorf("the validation prints %q %q", cell.Text(), cell.Small())
			}
		}
	}
}

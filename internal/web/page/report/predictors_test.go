package report

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/store"
)

// TestSharesTellNoHiddenCount: 167 rows printed as 99.4 % of a class would reveal that one row remains, even if its
// count is masked. Classes without a masked count keep their shares.
func TestSharesTellNoHiddenCount(t *testing.T) {
	of := func(one, zero [2]int) external.Shift {
		return external.Shift{Name: "ascites", N: []int{one[0] + zero[0], one[1] + zero[1]},
			Levels: []external.ShiftLevel{{Level: "1", N: one[:]}, {Level: "0", N: zero[:]}}}
	}
	for _, c := range []struct {
		name         string
		s            external.Shift
		rows, events int
		shares       bool
	}{
		{"one row", of([2]int{1, 23}, [2]int{167, 102}), 293, 125, false},
		{"rows without a value are the few", of([2]int{40, 23}, [2]int{120, 102}), 293, 125, false},
		{"nothing small", of([2]int{40, 23}, [2]int{128, 102}), 293, 125, true},
	} {
		for i, row := range MaskSmall.levelRows(c.s, c.rows, c.events)[1:] {
			for _, cell := range row.Cells[1:3] {
				if (cell.Small() != "") != c.shares {
					t.Errorf("%s: level %d prints %q %q", c.name, i, cell.Text(), cell.Small())
				}
			}
		}
	}
	// An external validation prints the same lines, for this file and for development.
	s := of([2]int{1, 23}, [2]int{167, 102})
	x := External{e: &external.Evaluation{Rows: 293, Events: 125}, run: store.Run{Result: &engine.Result{}}}
	for _, row := range x.shiftLevels(s, external.Shift{}) {
		for _, cell := range row.Cells {
			if cell.Small() != "" {
				t.Errorf("the validation prints %q %q", cell.Text(), cell.Small())
			}
		}
	}
}

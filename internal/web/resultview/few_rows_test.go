package resultview

import (
	"testing"

	"taper/internal/doc"
	"taper/internal/engine/stat"
)

// TestFewRowsInVerdict: Wilson's interval of 2 events in 4 rows, 15.0 % to 85.0 %, lies inside the band from 10 to 90 %;
// the verdict says on how many rows. That of 40 rows does not, and neither does one that is too few to judge.
func TestFewRowsInVerdict(t *testing.T) {
	of := func(n int, pi ...float64) doc.Cell {
		band, event := make([]int, n), make([]bool, n)
		for i := range n {
			band[i], event[i] = 1, i%2 == 0
		}
		cells := Strata(stat.Strata(pi, band, event), "illness", "").Rows[1].Cells
		return cells[len(cells)-1]
	}
	for _, c := range []struct {
		cell       doc.Cell
		chip, note string
	}{{of(4, .1, .9), stat.Inside, "on 4 rows"}, {of(40, .1, .9), stat.Inside, ""}, {of(4, .4, .6), stat.TooFew, ""},
		{of(4, .9, .95), stat.Outside, "on 4 rows"}} {
		if c.cell.Chip != c.chip || c.cell.Note != c.note {
			t.Errorf("%s %q, want %s %q", c.cell.Chip, c.cell.Note, c.chip, c.note)
		}
	}
}

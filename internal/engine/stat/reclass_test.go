package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Worked by hand: of 4 events 2 go up and 1 down, of 5 others 1 up and 2 down.
func TestReclassify(t *testing.T) {
	first := []int{0, 0, 1, 1, 0, 1, 1, 0, 0}
	second := []int{1, 1, 0, 1, 1, 0, 0, 0, 0}
	event := []bool{true, true, true, true, false, false, false, false, false}
	r := Reclassify(first, second, event, 2)
	close(t, "events' net", *r.Events.Net.Value, 0.25, 1e-15)
	close(t, "others' net", *r.Others.Net.Value, -0.2, 1e-15)
	close(t, "NRI", *r.NRI.Value, 0.45, 1e-15)
	// Rows count 1, 1, −1, 0 and 1, −1, −1, 0, 0: population variances 11/16, 14/25.
	se := math.Sqrt(11.0/16/4 + 14.0/25/5)
	close(t, "NRI high", *r.NRI.High, 0.45+Z95*se, 1e-12)
	c := r.Cells[0][1]
	if c.N != 3 || c.Events != 2 || *c.Observed.Value != 2.0/3 {
		t.Errorf("cell %+v", c)
	}
}

// Row sums are the strata of the first model, column sums those of the second;
// the shares add up; three bands have no total.
func TestReclassifySums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		band := rapid.IntRange(0, 2)
		a, b := rapid.SliceOfN(band, n, n).Draw(t, "a"), rapid.SliceOfN(band, n, n).Draw(t, "b")
		event := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "event")
		r := Reclassify(a, b, event, 3)
		x, y := Strata([]float64{0.2, 0.5}, a, event), Strata([]float64{0.2, 0.5}, b, event)
		for j := range 3 {
			var rows, cols ReclassificationCell
			for k := range 3 {
				rows.N, rows.Events = rows.N+r.Cells[j][k].N, rows.Events+r.Cells[j][k].Events
				cols.N, cols.Events = cols.N+r.Cells[k][j].N, cols.Events+r.Cells[k][j].Events
			}
			if rows.N != x[j].N || rows.Events != x[j].Events || cols.N != y[j].N || cols.Events != y[j].Events {
				t.Fatalf("band %d: %+v and %+v, want %+v and %+v", j, rows, cols, x[j], y[j])
			}
		}
		for _, m := range []BandChanges{r.Events, r.Others} {
			if m.N > 0 && !(math.Abs(*m.Up.Value+*m.Down.Value+*m.Same.Value-1) <= 1e-14) {
				t.Fatal("shares do not add up")
			}
		}
		if r.NRI != nil {
			t.Fatal("a total over three bands")
		}
	})
}

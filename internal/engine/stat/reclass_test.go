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
	close(t, "events' net, cut at 1", *r.Events.Net.High, 1, 0)
	close(t, "others' net", *r.Others.Net.High, -0.2+Z95*math.Sqrt(14.0/25/5), 1e-12)
	c := r.Cells[0][1]
	if c.N != 3 || c.Events != 2 || *c.Observed.Value != 2.0/3 {
		t.Errorf("cell %+v", c)
	}
}

// TestReclassifyAlike: where no row moves, or all move one way, the net share has an interval all the same. With
// c = z²/(n + z²), 0 and n of n have the Wilson limits c and 1 − c, and the squared widths add up.
func TestReclassifyAlike(t *testing.T) {
	for _, n := range []int{1, 12, 300} {
		c := Z95 * Z95 / (float64(n) + Z95*Z95)
		stay, low, high := make([]int, 2*n), make([]int, 2*n), make([]int, 2*n)
		event := make([]bool, 2*n)
		for i := range event {
			event[i], high[i] = i < n, 1
		}
		r := Reclassify(stay, stay, event, 2)
		for name, e := range map[string]Estimate{"events": r.Events.Net, "others": r.Others.Net} {
			close(t, name+", low", *e.Low, -c, 1e-12)
			close(t, name+", high", *e.High, c, 1e-12)
		}
		close(t, "NRI low", *r.NRI.Low, -math.Sqrt2*c, 1e-12)
		close(t, "NRI high", *r.NRI.High, math.Sqrt2*c, 1e-12)
		up, down := Reclassify(low, high, event, 2).Events.Net, Reclassify(high, low, event, 3).Others.Net
		for name, e := range map[string]Estimate{"up": up, "down": down.Negated()} {
			close(t, name, *e.Value, 1, 0)
			close(t, name+", low", *e.Low, 1-math.Sqrt2*c, 1e-12)
			close(t, name+", high", *e.High, 1, 1e-12)
		}
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

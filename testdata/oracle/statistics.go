package oracle

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// Rows are those that other programs computed statistics of (bench/reference):
// an event, the risks p and q by two models, four measurements, an ordered
// group, and a class of four with its prediction and probabilities, row by row.
type Rows struct {
	Name                         string
	Y, Group, Label, Predicted   []int
	P, Q, X1, X2, X3, X4, Shares []float64
}

// Event returns which rows are events.
func (r Rows) Event() []bool {
	event := make([]bool, len(r.Y))
	for i, y := range r.Y {
		event[i] = y == 1
	}
	return event
}

// X returns the measurements, row by row, behind a constant when asked for.
func (r Rows) X(constant bool) (x []float64) {
	for i := range r.Y {
		if constant {
			x = append(x, 1)
		}
		x = append(x, r.X1[i], r.X2[i], r.X3[i], r.X4[i])
	}
	return x
}

// Statistic is one quantity by Taper, to be held to another program's value.
type Statistic struct {
	Name string
	Tol  float64 // accepted difference over max(1, |value|)
	Ours func(Rows) []float64
}

// Stored are the values of a program by set of rows and name.
type Stored map[string]map[string]struct {
	Call  string
	Value []float64
}

// Statistics returns what a program stored.
func Statistics(t testing.TB, program string) Stored {
	t.Helper()
	stored := Stored{}
	for _, c := range Read[struct {
		Name   string
		Values json.RawMessage
	}](t, program) {
		values := stored[c.Name]
		if err := json.Unmarshal(c.Values, &values); err != nil {
			t.Fatal(err)
		}
		stored[c.Name] = values
	}
	return stored
}

// Hold compares statistics with the values that a program stored and logs the
// largest difference of each. Every stored value must be held but those named
// elsewhere.
func Hold(t *testing.T, program string, table []Statistic, elsewhere ...string) {
	t.Helper()
	stored := Statistics(t, program)
	for _, s := range table {
		elsewhere = append(elsewhere, s.Name)
		most := 0.0
		for _, rows := range Read[Rows](t, "statistics-data") {
			want, got := stored[rows.Name][s.Name], s.Ours(rows)
			if len(got) != len(want.Value) {
				t.Errorf("%s of %s: %d values, stored %d", s.Name, rows.Name, len(got), len(want.Value))
				continue
			}
			for i, w := range want.Value {
				d := math.Abs(got[i]-w) / max(1, math.Abs(w))
				if !(d <= s.Tol) {
					t.Errorf("%s of %s, value %d: %.17g, %s gives %.17g: off by %.2g", s.Name, rows.Name, i, got[i], want.Call, w, d)
				}
				most = max(most, d)
			}
		}
		t.Logf("%-20s %.1e, accepted %.0e", s.Name, most, s.Tol)
	}
	for name := range stored["n200"] {
		if !slices.Contains(elsewhere, name) {
			t.Errorf("%s: no test holds %s", program, name)
		}
	}
}

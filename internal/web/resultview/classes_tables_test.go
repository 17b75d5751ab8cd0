package resultview

import (
	"testing"

	"taper/internal/engine"
)

// TestMissingByClass: the table of predictors counts missing values by class; for results of earlier versions it
// has their sum.
func TestMissingByClass(t *testing.T) {
	quartiles := [][3]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{
		Rows: []engine.ClassRows{{Level: "a", Scored: 60}, {Level: "b", Scored: 100}, {Level: "c", Scored: 200}},
		Table1: []engine.ClassTable1{{Name: "age", Classes: quartiles, Missing: 15, MissingIn: []int{12, 0, 3}},
			{Name: "dose", Classes: quartiles, MissingIn: []int{0, 0, 0}},
			{Name: "bmi", Classes: quartiles, Missing: 15}}}}}
	for i, want := range []string{"15 (12 · 0 · 3)", "0 ", "15 "} {
		row := s.predictors().Rows[i].Cells
		if got := row[4].Text() + " " + row[4].Note; got != want {
			t.Errorf("%s: %q, want %q", row[0].Text(), got, want)
		}
	}
}

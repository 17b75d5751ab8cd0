package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/table/tabletest"
)

// TestWithoutRowsScoresTheSame: rare levels and the ends of ranges go, and no
// score moves.
func TestWithoutRowsScoresTheSame(t *testing.T) {
	for _, spec := range portables() {
		if spec.Kind == "kernel" {
			continue
		}
		m, records := trainedAs(t, spec)
		before, _ := json.Marshal(m)
		rare := m.Rare(300) // 18 rows lie in pooled levels or have none, 6 of them none
		if !slices.Contains(rare, true) || !slices.Contains(rare, false) {
			t.Fatalf("rare terms: %v", rare)
		}
		bare := m.WithoutRows(rare)
		if after, _ := json.Marshal(m); string(after) != string(before) {
			t.Fatalf("%s: the model itself changed", spec.Loss)
		}
		old, err := m.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		kept, err := bare.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range strangers(records)[1:] {
			a, b := old.Score(cells(records[0], record)), kept.Score(cells(records[0], record))
			exact := spec.Kind == "boost" // its splits lie between the same values
			if exact && a.Score != b.Score || !(math.Abs(a.Score-b.Score) <= 1e-12*(1+math.Abs(a.Score))) ||
				a.Stratum != b.Stratum {
				t.Fatalf("%s, row %d: %v became %v", spec.Loss, i, a.Score, b.Score)
			}
		}
		for k, term := range bare.Terms {
			if rare[k] != (term.Mean == 0 && term.SD == 1) {
				t.Errorf("%s, %s: mean %v, SD %v", spec.Loss, term.Name, term.Mean, term.SD)
			}
		}
		levels := 0
		for i, c := range m.Columns {
			k := bare.Columns[i]
			levels += len(c.Pooled)
			if k.Pooled != nil || !slices.Equal(k.Levels, c.Levels) || k.Reference != c.Reference {
				t.Errorf("%s: %+v became %+v", c.Name, c, k)
			}
			if c.Kind == prep.Number && !(k.Min <= c.Min && k.Max >= c.Max && k.Max-k.Min <= 2*(c.Max-c.Min)) {
				t.Errorf("%s: %v – %v became %v – %v", c.Name, c.Min, c.Max, k.Min, k.Max)
			}
		}
		if levels == 0 {
			t.Fatal("no rare level to forget")
		}
	}
}

// TestWithoutScalesAnswersTheSame: multiclass models of every form answer the
// same, with the same probabilities, on the scales of their columns.
func TestWithoutScalesAnswersTheSame(t *testing.T) {
	records := simulated(t, "ordinal-stripes", 140, nil)
	for name, s := range severalPortables() {
		r := fitOf(t, tabletest.FromRecords(records), s)
		m := r.Model
		if m.HoldsRows() {
			continue
		}
		all := make([]bool, len(m.Terms))
		for k := range all {
			all[k] = true
		}
		before, _ := json.Marshal(m)
		old, _ := m.Scorer()
		kept, err := m.WithoutRows(all).Scorer()
		if err != nil {
			t.Fatal(name, err)
		}
		if after, _ := json.Marshal(m); string(after) != string(before) {
			t.Fatalf("%s: the model itself changed", name)
		}
		for _, record := range records[1:] {
			a, b := old.Score(cells(records[0], record)).Classes, kept.Score(cells(records[0], record)).Classes
			if a.Class != b.Class {
				t.Fatalf("%s: %v became %v", name, a, b)
			}
			for c := range a.Scores {
				if d := a.Scores[c] - a.Scores[0] - b.Scores[c] + b.Scores[0]; !(math.Abs(d) <= 1e-9*(1+math.Abs(a.Scores[c]))) {
					t.Errorf("%s: scores %v became %v", name, a.Scores, b.Scores)
				}
				if a.Probabilities != nil && !(math.Abs(a.Probabilities[c]-b.Probabilities[c]) <= 1e-9) {
					t.Errorf("%s: probabilities %v became %v", name, a.Probabilities, b.Probabilities)
				}
			}
		}
	}
}

// TestWithoutRowsTellsNoEnd: the first and the last value of a column, and the
// first date, are not in the file.
func TestWithoutRowsTellsNoEnd(t *testing.T) {
	first := 19731.0 // 9 January 2024
	m := &model.Model{
		Columns: []prep.Column{{Name: "chol", Kind: prep.Number, Min: 17.31, Max: 103.97, Median: 40, Knots: []float64{20, 50}},
			{Name: "seen", Kind: prep.Number, Origin: &first, Min: 0, Max: 611, Median: 100, Knots: []float64{30, 60, 300}},
			{Name: "one", Kind: prep.Number, Min: 3, Max: 3, Median: 3}},
		Terms: []prep.Term{{Name: "chol", Column: "chol", Kind: prep.Value, Mean: 41, SD: 2}, {Name: "seen", Column: "seen", Kind: prep.Value, Mean: 120, SD: 50},
			{Name: "seen′", Column: "seen", Kind: prep.Spline, Knot: 1, Mean: 5, SD: 3}},
	}
	k := m.WithoutRows(nil)
	text, _ := json.Marshal(k)
	for _, cell := range []string{"17.31", "103.97", "19731", "611"} {
		if strings.Contains(string(text), cell) {
			t.Errorf("%s is still there: %s", cell, text)
		}
	}
	if c := k.Columns[0]; c.Min != 15 || c.Max != 105 {
		t.Errorf("range %v – %v", c.Min, c.Max)
	}
	// counted from 1 January 2024, 8 days before
	if c := k.Columns[1]; *c.Origin != 19723 || c.Median != 108 || fmt.Sprint(c.Knots) != "[38 68 308]" || c.Min != 8 || c.Max != 658 {
		t.Errorf("dates %+v from %v", c, *c.Origin)
	}
	if k.Terms[1].Mean != 128 || k.Terms[2].Mean != 5 || k.Terms[0].Mean != 41 || m.Terms[1].Mean != 120 {
		t.Errorf("terms %+v", k.Terms)
	}
	if k.Columns[2].Min != 3 || math.Signbit(k.Columns[1].Min) {
		t.Errorf("%+v", k.Columns)
	}
}

// TestHoldsRows tells the models that are sums over rows.
func TestHoldsRows(t *testing.T) {
	for _, spec := range portables() {
		s := clinicSpec()
		s.Model, s.Validation.Kind = spec, "none"
		s.Model.L2 = fit.L2{Value: 0.01}
		m := mustFit(t, tabletest.FromRecords(tabletest.Clinic(300, 20)), s).Model
		if m.HoldsRows() != (spec.Kind == "kernel") {
			t.Errorf("%s %s: %v", spec.Kind, spec.Loss, m.HoldsRows())
		}
	}
}

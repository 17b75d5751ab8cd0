package fit

import (
	"context"
	"slices"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/usererr"
)

// TestRefusals: parts of a spec that exclude each other are refused; the error names the field
// and its value.
func TestRefusals(t *testing.T) {
	method := func(m Spec) Method {
		how, err := Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		return how
	}
	costs := Spec{Loss: "al-cost", Params: map[string]any{"matrix": [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}}}
	expansion := func(rows [][]float64, coefficients ...float64) error {
		_, err := NewExpansion(multiclass.Kernel{Name: multiclass.KernelRBF, Gamma: 1}, rows, coefficients, 0, 2)
		return err
	}
	for _, c := range []struct {
		name  string
		err   error
		says  string // "" = no error
		field string
	}{
		{"two classes", method(Spec{Loss: "hinge"}).Suits(2), "", ""},
		{"three classes by a margin", method(Spec{Kind: "linear", Loss: "logistic"}).Suits(3),
			"model.loss Logistic, thresholded needs two classes, the data have 3.", "model.loss"},
		{"three classes by three costs", method(costs).Suits(3), "", ""},
		{"four classes by three costs", method(costs).Suits(4),
			"model.params.matrix has 3 columns, a column for each class, but the outcome has 4 classes.", "model.params.matrix"},
		{"support rows", expansion([][]float64{{1, 2}, {3, 4}}, 1, 2), "", ""},
		{"a short support row", expansion([][]float64{{1, 2}, {3}}, 1, 2), "support row 2 has 1 values for 2 terms", ""},
		{"a coefficient too few", expansion([][]float64{{1, 2}, {3, 4}}, 1), "2 support rows for 1 coefficients", ""},
	} {
		if c.says == "" {
			if c.err != nil {
				t.Errorf("%s: %v", c.name, c.err)
			}
			continue
		}
		e, ok := usererr.As(c.err)
		if !ok || e.Error() != c.says || c.field != "" && (len(e.Fields) != 1 || e.Fields[0].Field != c.field) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.says)
		}
	}
}

// TestRestarts: a loss with one minimum is refused; otherwise all starts are reported,
// identically for the same seed.
func TestRestarts(t *testing.T) {
	x := linear.Matrix{Rows: 40, Cols: 2, Data: make([]float64, 80)}
	y := make([]int, 40)
	for i := range y {
		y[i] = i % 2
		x.Data[2*i], x.Data[2*i+1] = float64(2*y[i]-1)+float64(i%7)/3-1, float64(i%5)-2
	}
	for _, c := range []struct {
		name       string
		m          Spec
		restarting bool
	}{
		{"logistic", Spec{Kind: "linear", Loss: "logistic"}, false},
		{"α = 4", Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.}}, true},
		{"trees", Spec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": 4.}}, false},
	} {
		how, err := Parse(c.m)
		if err != nil {
			t.Fatal(err)
		}
		starts, err := how.Restarts(context.Background(), Data{X: x, Label: y}, .01, 3, 5)
		if how.Restartable() != c.restarting || (err == nil) != c.restarting || err != nil && !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.restarting {
			continue
		}
		again, _ := how.Restarts(context.Background(), Data{X: x, Label: y}, .01, 3, 5)
		ends := func(all []linear.StartReport) (at []float64) {
			for _, s := range all {
				at = append(at, s.Objective)
			}
			return at
		}
		if len(starts) != 3 || !slices.Equal(ends(starts), ends(again)) {
			t.Errorf("%s: %+v", c.name, starts)
		}
	}
}

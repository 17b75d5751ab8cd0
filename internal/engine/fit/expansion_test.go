package fit

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/fit/multiclass"
)

// TestExpansionChecks: a single support row is valid; an error names what is missing from a
// file.
func TestExpansionChecks(t *testing.T) {
	rbf := multiclass.Kernel{Name: multiclass.KernelRBF, Gamma: .5}
	for _, c := range []struct {
		name         string
		kernel       multiclass.Kernel
		rows         [][]float64
		coefficients []float64
		want         string // "" = valid
	}{
		{"one row", rbf, [][]float64{{1, 2}}, []float64{3}, ""},
		{"none", rbf, nil, nil, "0 support rows for 0 coefficients"},
		{"too few coefficients", rbf, [][]float64{{1, 2}, {3, 4}}, []float64{3}, "2 support rows for 1 coefficients"},
		{"another width", rbf, [][]float64{{1, 2}, {3}}, []float64{3, 4}, "support row 2 has 1 values for 2 terms"},
		{"no number", rbf, [][]float64{{1, 2}}, []float64{math.NaN()}, "coefficient 1 is not a finite number"},
		{"too large", rbf, [][]float64{{1, 2}, {1, 3}}, []float64{1, math.Inf(-1)}, "coefficient 2 is not a finite number"},
		{"no γ", multiclass.Kernel{Name: multiclass.KernelRBF}, [][]float64{{1, 2}}, []float64{1}, "no γ"},
		{"a linear kernel has none", multiclass.Kernel{Name: multiclass.KernelLinear}, [][]float64{{1, 2}}, []float64{1}, ""},
	} {
		e, err := NewExpansion(c.kernel, c.rows, c.coefficients, .25, 2)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && c.kernel.Gamma > 0 {
			if got, want := e.Score([]float64{2, 2}), .25+3*math.Exp(-.5); !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("%s: score %v, want %v", c.name, got, want)
			}
		}
	}
}

package multiclass

import (
	"context"
	"strings"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// TestKernelOverflows: a kernel value that overflows gives an error with the row and a remedy,
// both for features of a kernel and in the dual.
func TestKernelOverflows(t *testing.T) {
	x := linear.Matrix{Rows: 4, Cols: 1, Data: []float64{1, 1e80, 2, -1e80}}
	k := Kernel{Name: KernelPoly}
	_, span := NewFeatures(k, x, 0, 1)
	_, exact := ExactFeatures(k, x, 10)
	family, _ := loss.FamilyByID("hinge")
	_, dual := Fit(context.Background(), x, []int{0, 1, 0, 1}, nil, Spec{Family: family, Params: family.Defaults(), Classes: 2, L2: 1, Kernel: &k}, Options{})
	for name, err := range map[string]error{"span": span, "exact": exact, "dual": dual} {
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "poly kernel of row 2") || !strings.Contains(err.Error(), "Standardise the columns (model.standardize)") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, k := range []Kernel{{Name: KernelPoly, Degree: 1}, {Name: KernelRBF}, {Name: KernelLinear}} {
		if _, err := NewFeatures(k, x, 0, 1); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

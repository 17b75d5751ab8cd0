package compare

import (
	"testing"

	"taper/internal/engine"
)

// Spline terms are the same only if their knots are; a linear term of the same name is
// different too.
func TestTermsOfSplines(t *testing.T) {
	of := func(id string, knots ...float64) Run {
		r := made(id, 0, "y", .5)
		r.Result.Coefficients = []engine.Coefficient{{Name: "age", Standardized: new(float64(2))}, {Name: "age′", Standardized: new(float64(4))}, {Name: "ages", Standardized: new(float64(1))}}
		if knots != nil {
			r.Result.Splines = []engine.SplineCurve{{Column: "age", Knots: knots}}
		}
		return r
	}
	list := terms([]Run{of("base", 1, 2, 3), of("same", 1, 2, 3), of("other", 1, 2, 4), of("line")}, 0)
	for i, has := range []bool{false, true, false, false} {
		for _, term := range list[:2] {
			if got := term.Deltas[i] != nil; got != has {
				t.Errorf("%s of run %d has a difference: %v, want %v", term.Name, i, got, has)
			}
		}
		if i > 0 && list[2].Deltas[i] == nil {
			t.Errorf("ages of run %d is no term of age", i)
		}
	}
}

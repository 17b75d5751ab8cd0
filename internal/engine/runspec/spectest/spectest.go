// Package spectest has the spec that most tests of runs share, for the table of tabletest.Clinic.
package spectest

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// Clinic returns a spec with three boundaries that are not symmetric about ½, and a fixed λ.
func Clinic() runspec.Spec {
	return runspec.Spec{
		Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site"},
		Boundaries: []float64{0.2, 0.4, 0.7}, Model: fit.Spec{L2: fit.L2{Value: 0.01}}, Seed: 7,
	}
}

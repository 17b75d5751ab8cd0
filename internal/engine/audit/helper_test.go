package audit

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// clinicSpec is the spec of most tests: three boundaries that are not symmetric about ½, and a
// fixed λ.
func clinicSpec() runspec.Spec {
	return runspec.Spec{
		Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site"},
		Boundaries: []float64{0.2, 0.4, 0.7}, Model: fit.Spec{L2: fit.L2{Value: 0.01}}, Seed: 7,
	}
}

package engine

import (
	"fmt"

	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
)

// RecalibratedModel does what Recalibrated does for a run whose rows were deleted: model and coefficients
// change, and nothing is evaluated, since that would need the rows.
func RecalibratedModel(r *Result, spec runspec.Spec, m *model.Model, a, b float64) (*Result, error) {
	bare := *r
	bare.Beside, bare.Reject, bare.PCA, bare.Density = nil, nil, nil, nil
	out, err := Recalibrated(&bare, spec, m, nil, a, b)
	if err != nil {
		return nil, err
	}
	out.Rows, out.Strata, out.Metrics, out.Monotone = nil, []stat.Stratum{},
		Metrics{Baselines: map[string]stat.Binary{}}, false
	out.Flow.Scored, out.Flow.ScoredEvents, out.Tuning, out.Trials = 0, 0, nil, nil
	words := fmt.Sprintf("Recalibrated for another population: logit P = %s + %s · logit p. The data of the parent run "+
		"are gone: this model was not evaluated.", phrase.Significant(a, 4), phrase.Significant(b, 4))
	out.Warnings = append([]Warning{{Code: WarnRecalibrated, Message: words}}, r.Warnings...)
	out.DropParentVerdicts()
	return out, nil
}

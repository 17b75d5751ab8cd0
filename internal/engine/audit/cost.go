package audit

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
)

// Memory bounds the memory of an audit of a run, or of a trial of one: its five folds, the probabilities
// of all classes, the fit of true classes, and the ranking.
func Memory(s runspec.Spec, t table.Shape) int64 {
	s = auditSpec(s)
	classes := 2
	if s.Multiclass() {
		classes = max(t.Column(s.Outcome).Levels, 2)
		if s.Bins != nil {
			classes = s.Bins.Count
		}
	}
	return crossfit.Memory(s, t) + cost.Of(t.Rows, 80, classes) + cost.Of(t.Rows, 500)
}

// Work bounds the computation of an audit. λ is tuned on its five folds even if the run had a given one.
func Work(s runspec.Spec, t table.Shape) cost.Work { return crossfit.WorkOf(auditSpec(s), t) }

// VicinityMemory bounds the memory of the design matrix in which neighbours are searched.
func VicinityMemory(s runspec.Spec, t table.Shape) int64 {
	return cost.Of(8, t.Rows, prep.MostTerms(t, s.Predictors, nil)) + cost.Of(t.Rows, 60)
}

// auditSpec is the most expensive spec that an audit of a run fits.
func auditSpec(s runspec.Spec) runspec.Spec {
	s = s.WithDefaults()
	s.Validation, s.Noise = runspec.Validation{Kind: "cv", Folds: auditFolds, Repeats: 1},
		runspec.Noise{Kind: synth.NoiseNone}
	if s.Model.Penalised() {
		s.Model.L2 = fit.L2{Mode: "cv"}
	}
	if s.Model.Tuned() {
		s.Model.Tuning = runspec.TuningSame
	}
	return s
}

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

// Memory is what an audit of a run takes at most, or a trial of one: its five folds, the probabilities of
// every class with what the true classes are fitted from, and the ranking with what names its rows.
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

// Work is what an audit computes at most: λ is tuned on its five folds where the run had one given.
func Work(s runspec.Spec, t table.Shape) cost.Work { return crossfit.WorkOf(auditSpec(s), t) }

// VicinityMemory is what the design of the rows takes in which neighbours are sought.
func VicinityMemory(s runspec.Spec, t table.Shape) int64 {
	return cost.Of(8, t.Rows, prep.MostTerms(t, s.Predictors, nil)) + cost.Of(t.Rows, 60)
}

// auditSpec is what an audit fits at most for a run.
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

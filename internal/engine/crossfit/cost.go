package crossfit

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
)

// Memory is what the folds of a spec and the fits on them take at most. Without predictors it
// takes all columns. It counts: the table; the designs that stay, of curved and of straight columns;
// on every core a design and a fit at work; the models of all folds; the scores of the model, of
// the regression beside it and of the constant, by repeat.
func Memory(s runspec.Spec, t table.Shape) int64 {
	s, rows, terms, classes, fits := sized(s, t)
	design := cost.Of(8, rows, terms)
	if s.Noise.Kind != "" && s.Noise.Kind != "none" {
		design *= 2 // features can be replaced: the matrix as it came stays beside
	}
	held := design + min(int64(fits)*design, keepBytes)
	if len(s.Splines) > 0 {
		held *= 2
	}
	work, model := s.Model.Memory(rows, terms, classes)
	cores := int64(min(parallel.Cores(), fits))
	if s.Model.Tuned() {
		cores = int64(parallel.Cores())
	}
	scores := cost.Of(8*4, rows, classes, max(s.Validation.Repeats, 1)+1)
	if s.Model.Given() { // the predictions of all rows, and of a score its distinct values and their blocks
		scores += cost.Of(8*classes+80, rows)
	}
	return t.Memory() + held + cores*(design+work) + int64(fits)*model + scores + cost.Of(rowBytes, rows)
}

// WorkOf is what the folds of a spec take, with the tuning inside them: every fold has its own, but
// for tuning on the folds that evaluate.
func WorkOf(s runspec.Spec, t table.Shape) cost.Work {
	s, rows, terms, classes, fits := sized(s, t)
	w := cost.Work{Fits: float64(fits), Rows: rows, Terms: terms}
	if s.Model.Tuned() {
		trials := tune.Space{L2: s.Model.L2.Tuned(), Gamma: s.Model.GammaTuned()}.Search(true).Grid.Trials
		switch s.Model.Tuning {
		case runspec.TuningSame, runspec.TuningSet:
			w.Fits *= float64(1 + trials)
		default:
			w.Fits *= float64(1 + innerFolds*trials)
		}
	}
	w.Total = w.Fits * s.Model.Work(rows, terms, classes)
	if s.Model.CutFromData() { // each draw of the intervals goes over the rows once
		w.Total += float64(stat.PairedDraws(rows, 0).Replicates) * float64(rows)
	}
	return w
}

// Tried is the work of one sample that is tuned and fitted as a run's final fit is.
func Tried(s runspec.Spec, t table.Shape) cost.Work {
	s.Validation = runspec.Validation{Kind: "none"}
	return WorkOf(s, t)
}

// Refitted is the work of one sample that is fitted with the λ and γ of another fit.
func Refitted(s runspec.Spec, t table.Shape) cost.Work {
	w := Tried(s, t)
	w.Total /= w.Fits
	w.Fits = 1
	return w
}

// sized fills in a spec, all columns where it names no predictors, and bounds the size of its designs, its
// classes and the fits of its folds, the final one among them.
func sized(s runspec.Spec, t table.Shape) (full runspec.Spec, rows, terms, classes, fits int) {
	if s = s.WithDefaults(); s.Predictors == nil {
		for _, c := range t.Columns {
			s.Predictors = append(s.Predictors, c.Name)
		}
	}
	classes, fits = 2, 1
	if about := s.ChosenTask(); !about.Event() {
		classes = classesOf(s, t)
	}
	if s.Validation.Kind == "cv" {
		fits += s.Validation.Folds * max(s.Validation.Repeats, 1)
	}
	return s, t.Rows, prep.MostTerms(t, s.Predictors, s.Splines), classes, fits
}

// rowBytes are those of what a result says of a row, with what is written of it.
const rowBytes = 600

// classesOf bounds the classes of an outcome.
func classesOf(s runspec.Spec, t table.Shape) int {
	if s.Bins != nil {
		return s.Bins.Count
	}
	return max(t.Column(s.Outcome).Levels, 2)
}

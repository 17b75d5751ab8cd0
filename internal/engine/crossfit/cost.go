package crossfit

import (
	"math"

	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
)

// Memory is an upper bound on the memory of the folds of a spec and their fits. A spec without
// predictors counts all columns. The sum contains the table; the stored designs, with and
// without splines; a design and a working fit per core; the models of all folds; and the scores
// of the model, the comparison regression and the constant, by repeat.
func Memory(s runspec.Spec, t table.Shape) int64 {
	s, rows, terms, classes, fits := sized(s, t)
	design := cost.Of(8, rows, terms)
	if s.Noise.Kind != "" && s.Noise.Kind != "none" {
		design *= 2 // noise may replace features, and the original matrix is kept
	}
	held := design
	if fits > 1 {
		held += min(int64(fits)*design, keepBytes)
	}
	if len(s.Splines) > 0 {
		held *= 2
	}
	work, model := s.Model.Memory(rows, terms, classes)
	cores := int64(min(parallel.Cores(), fits))
	if s.Model.Tuned() {
		cores = int64(parallel.Cores())
	}
	switch busy := cores * (design + work); {
	case fits > 1 || s.Model.Tuned() && s.Model.Tuning != runspec.TuningSample:
		held += busy
	case s.Model.Tuned(): // on a sample, before the only fit
		tuned, _ := s.Model.Memory(runspec.TuningRows, terms, classes)
		held += max(work, cores*(cost.Of(8, runspec.TuningRows, terms)+tuned))
	default: // the design of the only fit is the one that stays
		held += work
	}
	scores := cost.Of(8*4, rows, classes, max(s.Validation.Repeats, 1)+1)
	if s.Model.Given() { // all predictions; for a score also its distinct values and their blocks
		scores += cost.Of(8*classes+80, rows)
	}
	return t.Memory() + held + int64(fits)*model + scores + ListMemory(s, t)
}

// ListMemory is the part of Memory for the list of rows with their predictions, and its encoded form.
func ListMemory(s runspec.Spec, t table.Shape) int64 {
	rows := t.Rows
	// Rows without the outcome, or of a level that is only scored, are listed too.
	if s.Validation.Rows == runspec.RowsOfTest && !t.Column(s.Outcome).Missing && len(s.ScoreOnly) == 0 {
		rows = int(math.Ceil(s.Validation.Test*float64(rows))) + 1
	}
	return cost.Of(rowBytes, rows)
}

// WorkOf estimates the multiply-adds of the folds of a spec, with tuning. Every fold is tuned
// separately, unless tuning uses the evaluation folds.
func WorkOf(s runspec.Spec, t table.Shape) cost.Work {
	s, rows, terms, classes, fits := sized(s, t)
	w := cost.Work{Fits: float64(fits), Rows: rows, Terms: terms}
	if s.Model.Tuned() {
		trials := tune.Space{L2: s.Model.L2.Tuned(), Gamma: s.Model.GammaTuned()}.Search(true).Grid.Trials
		switch s.Model.Tuning {
		case runspec.TuningSame, runspec.TuningSet:
			w.Fits *= float64(1 + trials)
		case runspec.TuningSample:
			w.Total = w.Fits * float64(innerFolds*trials) * s.Model.Work(min(rows, runspec.TuningRows), terms, classes)
		default:
			w.Fits *= float64(1 + innerFolds*trials)
		}
	}
	w.Total += w.Fits * s.Model.Work(rows, terms, classes)
	if s.Model.CutFromData() { // each bootstrap replicate passes over the rows once
		w.Total += float64(stat.PairedDraws(rows, 0).Replicates) * float64(rows)
	}
	return w
}

// Tried is the work for one bootstrap sample that is tuned and fitted like a final fit.
func Tried(s runspec.Spec, t table.Shape) cost.Work {
	s.Validation = runspec.Validation{Kind: "none"}
	return WorkOf(s, t)
}

// Refitted is the work for one sample that is fitted with given λ and γ.
func Refitted(s runspec.Spec, t table.Shape) cost.Work {
	w := Tried(s, t)
	w.Total /= w.Fits
	w.Fits = 1
	return w
}

// sized fills in the defaults of a spec, with all columns where it names no predictors, and
// bounds the rows, terms and classes of its designs and the number of its fits, the final one
// included.
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

// rowBytes bounds the memory of a row's results, including their encoded form.
const rowBytes = 600

// classesOf bounds the number of classes of an outcome.
func classesOf(s runspec.Spec, t table.Shape) int {
	if s.Bins != nil {
		return s.Bins.Count
	}
	return max(t.Column(s.Outcome).Levels, 2)
}

// MostTerms bounds the terms of these columns without splines.
func MostTerms(t table.Shape, names []string) int { return prep.MostTerms(t, names, nil) }

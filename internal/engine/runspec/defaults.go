package runspec

import (
	"cmp"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/task"
)

// WithDefaults fills in every zero field that has a default: task interval with the quartile
// boundaries, a linear model with the task's own loss (kind boost: 100 stumps of the α-loss), λ
// by nested cross-validation, standardised columns, five folds, no repeats. The result shares
// no memory with s.
func (s Spec) WithDefaults() Spec {
	s.Task = cmp.Or(s.Task, task.Interval{}.ID())
	if s.Price != nil {
		s.Price = new(*s.Price)
	} else if p, priced := s.ChosenTask().(task.PricedAbstention); priced {
		s.Price = new(p.Price().Default.Number)
	}
	s.Model = task.Defaults(s.ChosenTask(), s.Model)
	s.Boundaries = slices.Clone(s.Boundaries)
	if len(s.Boundaries) == 0 && !s.Multiclass() {
		s.Boundaries = defaultBoundaries(s)
	}
	if !s.Multiclass() {
		s.Mode = cmp.Or(s.Mode, "interval")
	}
	s.Validation = s.Validation.withDefaults()
	s.Noise.Kind = cmp.Or(s.Noise.Kind, "none")
	s.Positive, s.Negative, s.ScoreOnly = slices.Clone(s.Positive), slices.Clone(s.Negative), slices.Clone(s.ScoreOnly)
	s.Levels = slices.Clone(s.Levels)
	if s.Bins != nil {
		s.Bins = &Bins{Count: s.Bins.Count, By: cmp.Or(s.Bins.By, "length")}
	}
	s.Predictors = slices.Clone(s.Predictors)
	s.Splines = bent(s.Splines)
	s.Review = s.Review.clone()
	return s
}

// Columns lists the columns that a run reads.
func (s Spec) Columns() []string {
	return slices.DeleteFunc(append([]string{s.Outcome, s.Group, s.Weights}, s.Predictors...),
		func(name string) bool { return name == "" })
}

func (v Validation) withDefaults() Validation {
	v.Kind = cmp.Or(v.Kind, "cv")
	switch v.Kind {
	case "cv":
		v.Folds, v.Repeats = cmp.Or(v.Folds, 5), cmp.Or(v.Repeats, 1)
	case "split":
		v.Test = cmp.Or(v.Test, 0.3)
	}
	return v
}

// defaultBoundaries are params.pi, else the quartiles for task interval and one half for two
// classes.
func defaultBoundaries(s Spec) []float64 {
	if pi, ok := numbers(s.Model.Params["pi"]); ok && len(pi) > 0 {
		return pi
	}
	if about, _ := task.ByID(s.Task); about == task.Task(task.Binary{}) {
		return []float64{0.5}
	}
	return []float64{0.25, 0.5, 0.75}
}

// numbers reads a list of numbers from a free JSON value.
func numbers(v any) ([]float64, bool) {
	switch v := v.(type) {
	case []float64:
		return slices.Clone(v), true
	case []any:
		list := make([]float64, len(v))
		for i, e := range v {
			x, ok := e.(float64)
			if !ok {
				return nil, false
			}
			list[i] = x
		}
		return list, true
	}
	return nil, false
}

// Penalty is the rule for choosing λ. Trees have no λ and get an arbitrary fixed value.
func (s *Spec) Penalty() fit.L2 {
	if s.Model.Penalised() {
		return s.Model.L2
	}
	return fit.L2{Value: 1}
}

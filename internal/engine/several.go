package engine

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/table"
)

// Tasks lists the tasks of a run.
var Tasks = []string{"binary", "interval", "multiclass", "ordinal", "abstain"}

// Several reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Several() bool {
	return s.Task == "multiclass" || s.Task == "ordinal" || s.Task == "abstain"
}

// several resolves the classes.
func (f *fieldErrors) several(s *Spec, c *cohort) {
	switch {
	case s.Bins != nil:
		f.bins(s, c)
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		remedy := ""
		if c.outcome.Num != nil && s.Task == "ordinal" {
			remedy = "; cut it into classes with bins"
		}
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values%s", table.MaxLevels, s.Outcome,
			thousands(c.outcome.Distinct), remedy)
	default:
		f.scored(s, c)
		f.levels(s, c)
	}
	if c.target.Levels != nil && !f.has("model.params") && s.Model.Loss == "al-cost" {
		f.costs(s, c.classes())
	}
}

// costs holds an own matrix against the classes.
func (f *fieldErrors) costs(s *Spec, k int) {
	if how, err := fit.Parse(s.Model); err == nil {
		f.join(checkCosts(how.Values.Matrix("matrix"), s.Task, k))
	}
}

package engine

import (
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// about is the task of the spec; of one that no run takes, two classes.
func (s *Spec) about() task.Task { return task.Of(s.Task) }

// ordered names the tasks whose classes have an order.
func ordered() string { return strings.Join(task.IDs(task.Which(task.Task.Ordered)), " or ") }

// Several reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Several() bool { return !s.about().Event() }

// several resolves the classes.
func (f *fieldErrors) classes(s *Spec, c *cohort) {
	switch {
	case s.Bins != nil:
		f.bins(s, c)
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		remedy := ""
		if c.outcome.Num != nil && s.about().Ordered() {
			remedy = "; cut it into classes with bins"
		}
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values%s", table.MaxLevels, s.Outcome,
			thousands(c.outcome.Distinct), remedy)
	default:
		f.scored(s, c)
		f.levels(s, c)
	}
	if c.target.Levels != nil && !f.has("model.params") && !f.has("model.loss") {
		f.costs(s, c.classes())
	}
}

// costs holds an own matrix against the classes.
func (f *fieldErrors) costs(s *Spec, k int) {
	if how, err := fit.Parse(s.Model); err == nil && how.Costs() != nil {
		f.join(checkCosts(how.Costs(), s.about(), k))
	}
}

package engine

import (
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// about is the task of the spec at its price; of one that no run takes, two classes.
func (s *Spec) about() task.Task {
	about := task.Of(s.Task)
	if p, priced := about.(task.Priced); priced && s.Price != nil {
		return p.At(*s.Price)
	}
	return about
}

// tasksThat names the tasks that are something.
func tasksThat(are func(task.Task) bool) string {
	return strings.Join(task.IDs(task.Which(are)), " or ")
}

// Multiclass reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Multiclass() bool { return !s.about().Event() }

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
			phrase.Thousands(c.outcome.Distinct), remedy)
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
	how, err := fit.Parse(s.Model)
	switch {
	case err != nil || how.Costs() == nil:
	case task.HasPrice(s.about()):
		f.add("model.params.matrix", "belongs to other tasks: leave it out for task %s, which makes it of its price", s.Task)
	default:
		f.join(checkCosts(how.Costs(), s.about(), k))
	}
}

// price holds the price of no answer against the task.
func (f *fieldErrors) price(s *Spec) {
	p, priced := s.about().(task.Priced)
	switch {
	case priced && s.Price != nil:
		f.join(p.Price().Check("price", *s.Price))
	case s.Price != nil:
		f.add("price", "belongs to task %s (got task %q)", tasksThat(task.HasPrice), s.Task)
	}
}

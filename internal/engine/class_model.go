package engine

import (
	"taper/internal/engine/model"
)

// portable is model.json.
func (b *classRun) portable(r *Result) *model.Model {
	m := b.comparison.portable(r)
	m.Task, m.Rule, m.Costs, m.Bins = b.spec.Task, b.rule, b.cost, b.p.cohort.Target.Cuts
	m.Potentials = b.model.final.Potential.Model
	return m
}

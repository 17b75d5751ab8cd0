package engine

import (
	"slices"

	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// result puts together what the fits found.
func (b *classRun) result() *Result {
	r := b.comparison.result()
	r.Link, r.Boundaries, r.Delta, r.Strata, r.Density, r.Beside = linkOf(b.how), []float64{}, []float64{},
		[]stat.Stratum{}, []Density{}, []Beside{}
	for i := range r.Tuning { // γ is told once for all
		r.Tuning[i].Gamma = nil
	}
	if b.model.oneSE != nil {
		r.L2OneSE = &b.model.oneSE.L2
	}
	r.Classes = b.classes()
	r.Coefficients, r.Classes.Thresholds = b.coefficients()
	r.Rows = b.rows()
	r.Model = b.portable(r)
	r.Warnings = b.warnings(r)
	r.lists()
	return r
}

// classes is the part of the result that two classes do not have.
func (b *classRun) classes() *ClassResult {
	p := b.p
	c := &ClassResult{
		Task: b.spec.Task, Levels: p.cohort.target.Levels, Rule: b.rule, Costs: b.cost,
		Criterion: criterionOf(b.how, b.cost), Mixture: b.model.final.Potential.Model.Options() > 0,
		Table1: p.table1Classes(), Features: featuresOf(b.how, b.task),
	}
	for k, level := range c.Levels {
		c.Rows = append(c.Rows, ClassRows{level, countOf(p.cohort.label, p.final.train(), k),
			countOf(p.cohort.label, p.judged(), k)})
	}
	b.beside(c)
	b.kernel(c)
	c.PCA = b.pca()
	if p.traced {
		c.Pictures = b.pictures()
	}
	return c
}

// rows lists every row used.
func (b *classRun) rows() []RowScore {
	k := b.p.cohort.classes()
	say := func(a task.Answers) func(r *RowScore, i, at int) {
		return func(r *RowScore, i, _ int) {
			r.Predicted, r.Scores = a.Class[i], slices.Clone(a.Score[i*k:(i+1)*k])
			if len(a.Prob) > 0 {
				r.Probabilities = slices.Clone(a.Prob[i*k : (i+1)*k])
			}
		}
	}
	return b.list(say(b.model.train), say(b.model.repeat[0]), say(b.model.extra))
}

// pca adds the answers to the components.
func (b *classRun) pca() *ClassPCA {
	about := &b.p.about
	if len(about.pca[0]) == 0 {
		return nil
	}
	pc := &ClassPCA{Share: about.share, X: about.pca[0], Y: about.pca[1]}
	at, a := b.p.judged(), b.model.repeat[0]
	for _, i := range about.sample {
		pc.Class = append(pc.Class, b.p.cohort.label[at[i]])
		pc.Predicted = append(pc.Predicted, a.Class[i])
		pc.Row = append(pc.Row, b.p.cohort.rows[at[i]])
	}
	return pc
}

package engine

import (
	"slices"

	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// result puts together what the fits found.
func (b *bench) result() *Result {
	p, s := b.p, &b.spec
	f := b.model.final.Potential
	r := &Result{
		Outcome: s.Outcome, Method: classWords(b.how, s), Link: b.linkWords(),
		Validation: validationOf(s, p.cohort.group != nil), Apparent: s.Validation.Kind == "none",
		Optimistic: s.Model.Tuned() && s.Model.Tuning == "same-folds",
		Flow:       p.about.flow, Tuning: b.model.tuning, L2: b.model.setting.L2,
		Objective: f.Objective, Gap: f.Gap, GradientNorm: f.GradientNorm, Iterations: f.Iterations,
		Evaluations: f.Evaluations, Stopped: f.Stopped, Starts: f.Starts, Trace: b.model.trace.points(),
		Boundaries: []float64{}, Delta: []float64{}, Strata: []stat.Stratum{}, Density: []Density{}, Beside: []Beside{},
	}
	for i := range r.Tuning { // γ is told once for all
		r.Tuning[i].Gamma = nil
	}
	if b.model.oneSE != nil {
		r.L2OneSE = &b.model.oneSE.L2
	}
	for _, c := range b.model.chosen {
		r.FoldL2 = append(r.FoldL2, c.L2)
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
func (b *bench) classes() *ClassResult {
	p, task := b.p, b.spec.Task
	c := &ClassResult{
		Task: task, Levels: p.cohort.target.Levels, Rule: b.rule, Costs: b.cost,
		Criterion: criterionOf(b.how, b.cost), Mixture: b.model.final.Potential.Model.Options() > 0,
		Table1: p.table1Several(), Features: featuresOf(b.how, task),
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

// rows lists every row used, in the order of the table.
func (b *bench) rows() []RowScore {
	p, v := b.p, b.model
	c, k := p.cohort, p.cohort.classes()
	var rows []RowScore
	add := func(row int, split string, a task.Answers, i int, noisy bool) {
		r := RowScore{Row: row, Outcome: c.level(row), Split: split, Predicted: a.Class[i], Flipped: noisy,
			Scores: slices.Clone(a.Score[i*k : (i+1)*k])}
		if len(a.Prob) > 0 {
			r.Probabilities = slices.Clone(a.Prob[i*k : (i+1)*k])
		}
		rows = append(rows, r)
	}
	if len(p.parts) == 0 || b.spec.Validation.Kind == "split" {
		for i, at := range p.final.train() {
			add(c.rows[at], "train", v.train, i, p.noisy(at))
		}
	}
	if len(p.parts) > 0 {
		of := make([]string, len(c.rows)) // the part that judges each position
		for _, q := range p.parts[0] {
			for _, at := range q.test() {
				of[at] = q.name
			}
		}
		for i, at := range p.judged() {
			add(c.rows[at], of[at], v.repeat[0], i, p.noisy(at))
		}
	}
	for i, row := range c.extra {
		add(row, "scored", v.extra, i, false)
	}
	slices.SortFunc(rows, func(a, b RowScore) int { return a.Row - b.Row })
	return rows
}

// pca adds the answers to the components.
func (b *bench) pca() *ClassPCA {
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

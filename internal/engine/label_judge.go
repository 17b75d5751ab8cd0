package engine

import (
	"math"

	"taper/internal/engine/audit"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/task"
)

// judge turns the outputs of the folds' fits into the ranking.
func (w *auditor) judge(m *fit.Model, raw []float64) {
	if w.p.cohort.target.Event {
		w.judgeEvent(raw)
		return
	}
	rule := w.spec.about().Rule(w.how.Family)
	w.judgeClasses(task.NewReader(m.Potential.Model, rule, w.cost).All(raw))
}

// judgeEvent ranks by the scores of two classes.
func (w *auditor) judgeEvent(f []float64) {
	c, link := w.p.cohort, w.how.Link
	if link.Has() {
		w.prob = make([]float64, 2*len(f))
	}
	fold := w.p.foldOf()
	for i, v := range f {
		r := audit.Row{Row: c.rows[i], Fold: fold[i], Label: c.label[i], Other: 1 - c.label[i], Score: v,
			Margin:      sign(c.label[i]) * v,
			Probability: math.NaN(), Weight: math.NaN()}
		if w.prob != nil {
			p := link.Probability(v)
			w.prob[2*i], w.prob[2*i+1] = 1-p, p
			r.Probability = w.prob[2*i+r.Label]
		}
		if g := w.how.Weight(sign(c.label[i]), v); g != nil {
			r.Weight = *g
		}
		w.a.Ranking = append(w.a.Ranking, r)
	}
}

// foldOf is the fold that judges each position.
func (p *Prepared) foldOf() []int {
	fold := make([]int, len(p.cohort.rows))
	for k, q := range p.parts[0] {
		for _, at := range q.test() {
			fold[at] = k
		}
	}
	return fold
}

// judgeClasses ranks by the scores of the classes.
func (w *auditor) judgeClasses(a task.Answers) {
	c := w.p.cohort
	k := c.classes()
	if len(a.Prob) == len(c.rows)*k {
		w.prob = a.Prob
	}
	fold, gives := w.p.foldOf(), w.giver()
	for i, label := range c.label {
		score := a.Score[i*k : (i+1)*k]
		r := audit.Row{Row: c.rows[i], Fold: fold[i], Label: label, Probability: math.NaN(), Weight: math.NaN(),
			Score: math.NaN()}
		if r.Other, r.Margin = rival(score, label); w.prob != nil {
			r.Probability = w.prob[i*k+label]
		}
		if gives != nil {
			r.Weight = gives.Importance(label, score)
		}
		w.a.Ranking = append(w.a.Ranking, r)
	}
}

// giver has a give-up factor of several classes.
type giver interface {
	Importance(y int, f []float64) float64
}

// giver is the loss where it is one; nil for plain softmax regression, whose
// factor is 1.
func (w *auditor) giver() giver {
	f := w.how.Family
	if f.Kind != loss.KindPotential || f.ID == "softmax" {
		return nil
	}
	g, _ := f.New(w.how.Values, w.p.cohort.classes()).(giver)
	return g
}

// rival is the best class but the own one, and how far the own one leads.
func rival(score []float64, label int) (best int, lead float64) {
	best = -1
	for j, v := range score {
		if j != label && (best < 0 || v > score[best]) {
			best = j
		}
	}
	return best, score[label] - score[best]
}

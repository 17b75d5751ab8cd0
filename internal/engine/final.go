package engine

import (
	"fmt"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/prep"
)

// final reports the terms of the final fit.
func (j *eventRun) final(r *Result, fit *fit.Fitted) {
	r.Link = j.linkWords()
	pre := j.p.final.design.pre
	switch {
	case fit.Trees != nil:
		r.Importance = importance(fit.Trees, pre.Terms)
		return
	case fit.Kernel != nil:
		r.Kernel = j.kernelSummary(fit.Kernel)
		return
	}
	r.Splines = j.curves()
	coef, intercept := pre.Natural(fit.W, fit.B)
	r.Coefficients = []Coefficient{{Name: "(intercept)", Value: intercept, Standardized: fit.B}}
	for k, v := range coef {
		c := Coefficient{Name: pre.Terms[k].Name, Value: v, Standardized: fit.W[k]}
		if pre.Bent(k) { // one unit has no odds ratio of its own: the curve has
			r.Coefficients = append(r.Coefficients, c)
			continue
		}
		if scale := j.how.Link.Scale; scale > 0 {
			c.OddsRatio = oddsRatio(scale, v)
		}
		if r.Link.SlopeAtZero != nil {
			c.OddsRatioLocal = oddsRatio(*r.Link.SlopeAtZero, v)
		}
		if r.Link.SlopeAverage != nil {
			c.OddsRatioAverage = oddsRatio(*r.Link.SlopeAverage, v)
		}
		r.Coefficients = append(r.Coefficients, c)
	}
}

// oddsRatio is exp(slope·θ), nil where it leaves the doubles.
func oddsRatio(slope, theta float64) *float64 {
	ratio := math.Exp(slope * theta)
	if math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		return nil
	}
	return &ratio
}

// linkWords describes the link, and the slopes of its log odds where they vary
// (clinical.md §2).
func (j *eventRun) linkWords() LinkWords {
	k := j.how.Link
	w := LinkWords{ID: k.ID, Formula: or(k.Formula, "none: bands by cut-offs of the score")}
	curved, ok := k.Prob.(fit.LoggedOdds)
	if !ok {
		return w
	}
	at := curved.LogOddsSlope(0)
	w.SlopeAtZero = &at
	w.Note = fmt.Sprintf("The link of %s is not logistic: the odds ratio of one unit changes with the score. Those "+
		"given hold at score 0 and, as a geometric mean, over the rows trained on.", j.how.Title())
	sum := 0.0
	for _, f := range j.model.train {
		sum += curved.LogOddsSlope(f)
	}
	if mean := sum / float64(len(j.model.train)); !math.IsInf(mean, 0) {
		w.SlopeAverage = &mean
	} else {
		w.Note = fmt.Sprintf("The link of %s is not logistic: the odds ratio of one unit changes with the score, and has "+
			"no mean because some rows have probability 0 or 1. The one given holds at score 0.", j.how.Title())
	}
	return w
}

// importance shares Σ|θ| of the trees out among the terms they split on.
func importance(m *boost.Model, terms []prep.Term) []Importance {
	all := make([]Importance, len(terms))
	for k, t := range terms {
		all[k].Name = t.Name
	}
	total := 0.0
	for _, tree := range m.Trees {
		splits := len(tree.Nodes) / 2
		for _, n := range tree.Nodes {
			if n.Below != 0 {
				all[n.Feature].Splits++
				all[n.Feature].Share += math.Abs(tree.Theta) / float64(splits)
			}
		}
		total += math.Abs(tree.Theta)
	}
	for k := range all {
		if total > 0 {
			all[k].Share /= total
		}
	}
	return all
}

// Influence returns how much each term weighs in the model, for showing those
// that do first: |weight|, or the share of the trees.
func (m *Model) Influence() []float64 {
	all := make([]float64, len(m.Terms))
	if m.Several() {
		for _, w := range m.Potentials.Weights {
			for k, v := range w {
				all[k] = max(all[k], math.Abs(v))
			}
		}
		return all
	}
	if m.Kind != "boost" {
		for k, w := range m.Weights {
			all[k] = math.Abs(w)
		}
		return all
	}
	for k, v := range importance(m.boosted(), m.Terms) {
		all[k] = v.Share
	}
	return all
}

// uses names the columns that the score depends on: those with a term whose
// weight is not 0 or that a tree splits; of kernels all.
func (m *Model) uses() map[string]bool {
	all, influence := map[string]bool{}, m.Influence()
	for k, t := range m.Terms {
		if m.HoldsRows() || influence[k] != 0 {
			all[t.Column] = true
		}
	}
	return all
}

// linkNames are the links as a label of a probability.
var linkNames = map[string]string{
	LinkNone: "none: bands only", LinkSoftmax: "softmax", LinkLogistic: "logistic", LinkScaled: "logistic, scaled",
	LinkEscort: "escort", LinkSquaredHinge: "squared hinge", LinkDWD: "distance-weighted",
}

// LinkName names a link in a word or two; one without a name by its id.
func LinkName(id string) string { return or(linkNames[id], id) }

package engine

import (
	"cmp"
	"fmt"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
)

// final reports the terms of the final fit.
func (j *eventRun) final(r *Result, fit *fit.Fitted) {
	r.Link = j.linkWords()
	pre := j.p.final.design.pre
	switch {
	case fit.Trees != nil:
		r.Importance = model.TreeImportance(fit.Trees, pre.Terms)
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
	w := LinkWords{ID: k.ID, Formula: cmp.Or(k.Formula, "none: bands by cut-offs of the score")}
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

// kernelSummary says what the score of the final fit is a sum over.
func (j *eventRun) kernelSummary(e *fit.Expansion) *KernelSummary {
	k := &KernelSummary{Name: e.Kernel.Name, Rows: len(j.p.final.Train()), Support: e.Rows.Rows, Landmarks: e.Landmarks,
		ExactUpTo: fit.ExactRows(j.how.Family.ID)}
	if k.Name != multiclass.KernelLinear {
		gamma := e.Kernel.Gamma
		k.Gamma = &gamma
	}
	if k.Name == multiclass.KernelPoly {
		k.Degree = e.Kernel.Degree
	}
	return k
}

// nystrom says that a kernel was approximated, "" where it was not.
func (k *KernelSummary) nystrom() string {
	if k == nil || k.Landmarks == 0 {
		return ""
	}
	return fmt.Sprintf("%s rows: Nyström with %s, exact up to %s rows of this loss.", phrase.Int(k.Rows),
		phrase.Plural(k.Landmarks, "landmark", "landmarks"), phrase.Int(k.ExactUpTo))
}

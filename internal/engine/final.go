package engine

import (
	"cmp"
	"fmt"
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/runspec"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// final adds the coefficients, or the importances of trees, of the final fit to the result.
func (j *eventRun) final(r *Result, fit *fit.Fitted) {
	r.Link = j.linkWords()
	switch {
	case fit.Trees != nil:
		r.Importance = model.TreeImportance(fit.Trees, j.p.Final.Design.Pre.Terms)
		return
	case fit.Kernel != nil:
		r.Kernel = j.kernelSummary(fit.Kernel)
		return
	}
	r.Splines = j.curves()
	r.Coefficients = j.terms("", fit.W, fit.B, func(c *Coefficient, _ int) {
		if scale := j.how.Link.Scale; scale > 0 {
			c.OddsRatio = oddsRatio(scale, c.Value)
		}
		if at := r.Link.SlopeAtZero; at != nil {
			c.OddsRatioLocal = oddsRatio(*at, c.Value)
		}
		if mean := r.Link.SlopeAverage; mean != nil {
			c.OddsRatioAverage = oddsRatio(*mean, c.Value)
		}
	})
	if j.p.Traced {
		r.OddsRatioNote = j.wald(r, fit)
	}
}

// coefficients lists the terms of each class's score, or of the single score with its thresholds. A kernel
// model has none. With softmax regression an odds ratio compares a class with the first one.
func (b *classRun) coefficients(r *Result) {
	m := b.model.Final.Potential.Model
	r.Coefficients = []Coefficient{}
	if m.Kernel != nil {
		return
	}
	for k, w := range m.Weights {
		if m.Form != multiclass.FormClasses { // the thresholds take the place of an intercept
			own := b.terms("", w, 0, nil)
			for _, eta := range m.Offsets {
				r.Classes.Thresholds = append(r.Classes.Thresholds, eta-own[0].Value)
			}
			r.Coefficients = append(r.Coefficients, own[1:]...)
			continue
		}
		own := b.terms(b.p.Cohort.Target.Levels[k], w, m.Offsets[k], func(c *Coefficient, j int) {
			if k > 0 && m.Family.LinkOf(m.Params).ID == loss.LinkSoftmax {
				c.OddsRatio = oddsRatio(1, c.Value-r.Coefficients[j].Value)
			}
		})
		r.Coefficients = append(r.Coefficients, own...)
	}
}

// terms lists the intercept and the terms of one score. odds sets the odds ratios of a coefficient; j is the
// index of its term. Spline terms have no odds ratio per unit: their curve has contrasts instead.
func (c *comparison) terms(class string, w []float64, b float64, odds func(c *Coefficient, j int)) []Coefficient {
	pre := c.p.Final.Design.Pre
	natural, intercept := pre.Natural(w, b)
	all := []Coefficient{{Name: model.InterceptName, Class: class, Value: intercept, Standardized: new(b)}}
	for k, v := range natural {
		one := Coefficient{Name: pre.Terms[k].Name, Class: class, Value: v, Standardized: new(w[k])}
		if odds != nil && !pre.IsSplineTerm(k) {
			odds(&one, k+1)
		}
		all = append(all, one)
	}
	return all
}

// representable returns an error if a coefficient of the final fit is too large for a number. The coefficient of a
// standardised term is divided by its standard deviation, which may be nearly 0.
func (c *comparison) representable() error {
	final := c.model.Final
	if c.spec.Model.Given() {
		return nil
	}
	var weights [][]float64
	switch {
	case final.Fitted == nil && final.Potential.Model.Kernel == nil:
		weights = final.Potential.Model.Weights
	case final.Fitted != nil && final.Fitted.Trees == nil && final.Fitted.Kernel == nil:
		weights = [][]float64{final.Fitted.W}
	}
	pre := c.p.Final.Design.Pre
	for _, w := range weights {
		natural, _ := pre.Natural(w, 0)
		for k, v := range natural {
			if math.IsInf(v, 0) {
				name := pre.Terms[k].Column
				return usererr.New(usererr.Invalid, "Column %q varies so little that its coefficient per unit is too large for "+
					"a number: give it another unit, or leave it out.", name).At(0, name)
			}
		}
	}
	return nil
}

// oddsRatio returns exp(slope·θ), nil where it overflows.
func oddsRatio(slope, theta float64) *float64 {
	ratio := math.Exp(slope * theta)
	if math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		return nil
	}
	return &ratio
}

// linkWords describes the link in words and, where the log odds are not linear in the score, their slopes.
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
		"given hold at score 0 and, as a geometric mean, over the training rows.", j.how.Title())
	sum := 0.0
	for _, f := range j.model.Train {
		sum += curved.LogOddsSlope(f)
	}
	if mean := sum / float64(len(j.model.Train)); !math.IsInf(mean, 0) {
		w.SlopeAverage = &mean
	} else {
		w.Note = fmt.Sprintf("The link of %s is not logistic: the odds ratio of one unit changes with the score, and has "+
			"no mean because some rows have probability 0 or 1. The one given holds at score 0.", j.how.Title())
	}
	return w
}

// linkOf describes the link of a multiclass loss.
func linkOf(how fit.Method) LinkWords {
	link := how.Family.LinkOf(how.Values)
	return LinkWords{ID: link.ID, Formula: cmp.Or(link.Formula, "none: the answer by its scores")}
}

// kernelSummary describes the kernel expansion of the final fit.
func (j *eventRun) kernelSummary(e *fit.Expansion) *KernelSummary {
	k := &KernelSummary{Name: e.Kernel.Name, Rows: len(j.p.Final.Train()), Support: e.Rows.Rows, Landmarks: e.Landmarks,
		ExactUpTo: fit.ExactRows(j.how.Family)}
	if k.Name != multiclass.KernelLinear {
		gamma := e.Kernel.Gamma
		k.Gamma = &gamma
	}
	if k.Name == multiclass.KernelPoly {
		k.Degree = e.Kernel.Degree
	}
	return k
}

// nystrom says that the kernel was approximated; "" for an exact kernel.
func (k *KernelSummary) nystrom() string {
	if k == nil || k.Landmarks == 0 {
		return ""
	}
	return fmt.Sprintf("%s rows: Nyström with %s, exact up to %s rows of this loss.", phrase.Int(k.Rows),
		phrase.Plural(k.Landmarks, "landmark", "landmarks"), phrase.Int(k.ExactUpTo))
}

// kernel fills in the kernel of a multiclass model.
func (b *classRun) kernel(c *ClassResult) {
	m := b.model.Final.Potential
	if m.Model.Kernel == nil {
		return
	}
	c.Kernel = &KernelFit{Words: runspec.KernelWords(m.Model.Kernel.Name, m.Model.Kernel.Degree), Rows: len(m.Model.Rows),
		Landmarks: m.Landmarks}
	given, tuned, _ := runspec.Gamma(b.spec.Model)
	if tuned || given != 1 || m.Model.Kernel.Name != multiclass.KernelLinear {
		gamma := b.model.Setting.Gamma
		c.Gamma = &gamma
		for _, s := range b.model.Chosen {
			c.FoldGamma = append(c.FoldGamma, s.Gamma)
		}
	}
}

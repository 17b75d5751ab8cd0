package engine

import (
	"math"
	"slices"

	"taper/internal/engine/stat"
)

// Corrected is one number of a model before and after the correction for its
// optimism.
type Corrected struct {
	ID string `json:"id"` // of a statistic
	stat.Optimism
}

// CoefficientDraw is a term over the refits: percentile intervals of its
// coefficient per natural unit, and of its odds ratio where the link is
// logistic, exp(scale·θ) (clinical.md §2). A refit that lacks the term counts
// for neither; terms of splines have bands instead (SplineBand).
type CoefficientDraw struct {
	Name      string        `json:"name"`
	Value     stat.Estimate `json:"value"`
	OddsRatio stat.Estimate `json:"odds_ratio"`
	Refits    int           `json:"refits"` // with the term
}

// gather puts the replicates together.
func (w *Refits) gather(all []*refit) *Bootstrap {
	out := &Bootstrap{Seed: w.o.Seed, Tuning: w.tuningWords(), Metrics: []Corrected{}, L2: []float64{}}
	kept := slices.DeleteFunc(slices.Clone(all), func(r *refit) bool { return r == nil })
	out.Replicates, out.Failed = len(kept), len(all)-len(kept)
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		apparent := w.model.own.Of(s.ID).Value
		if apparent == nil {
			continue
		}
		var own, original []float64
		for _, r := range kept {
			own, original = append(own, orNaN(r.own.Of(s.ID).Value)), append(original, orNaN(r.original.Of(s.ID).Value))
		}
		c := Corrected{s.ID, stat.CorrectOptimism(*apparent, own, original)}
		if s.Pinned { // the refits tell how far calibration is off elsewhere, but not how it varies
			c.Corrected.Low, c.Corrected.High = nil, nil
		}
		out.Metrics = append(out.Metrics, c)
	}
	for _, r := range kept {
		if w.spec.Model.Penalised() {
			out.L2 = append(out.L2, r.l2)
		}
	}
	out.Stability = w.stability(kept)
	out.Coefficients, out.Splines = w.coefficients(kept), w.splineBands(kept)
	return out
}

// coefficients gives the terms of the run's own model their intervals.
func (w *Refits) coefficients(kept []*refit) []CoefficientDraw {
	if w.model.terms == nil {
		return nil
	}
	names := []string{interceptName}
	for k, t := range w.p.final.design.pre.Terms {
		if !w.p.final.design.pre.Bent(k) {
			names = append(names, t.Name)
		}
	}
	scale := w.reading.Link.Scale
	all := make([]CoefficientDraw, len(names))
	for k, name := range names {
		theta := w.model.terms[name]
		var draws, odds []float64
		refits := 0
		for _, r := range kept {
			v, ok := r.terms[name]
			if !ok {
				v = math.NaN()
			} else {
				refits++
			}
			draws, odds = append(draws, v), append(odds, math.Exp(scale*v))
		}
		all[k] = CoefficientDraw{Name: name, Value: resampled(theta, draws), Refits: refits}
		if scale > 0 && k > 0 {
			all[k].OddsRatio = resampled(math.Exp(scale*theta), odds)
		}
	}
	return all
}

// resampled is a number with the percentile interval of its draws.
func resampled(v float64, draws []float64) stat.Estimate {
	low, high := stat.Percentiles(draws)
	return stat.Estimate{Value: defined(v), Low: defined(low), High: defined(high)}
}

// defined is nil for what is not finite.
func defined(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// tuningWords says how λ was chosen in each sample.
func (w *Refits) tuningWords() string {
	m := w.spec.Model
	switch {
	case !m.Penalised():
		return "no penalty to choose"
	case !m.Tuned():
		return "λ as given"
	}
	return "λ chosen anew in each sample by cross-validation"
}

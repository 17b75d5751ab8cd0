package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
)

// WarnSpline marks a column whose values do not hold the knots asked for.
const WarnSpline = "fewer-knots"

// SplineCurve is what a column that is a natural cubic spline adds to the score
// of a linear model, beyond what its median does: its partial effect, over the
// range of the rows trained on. Values are in the unit of model.json: a date
// counts from its origin.
type SplineCurve struct {
	Column    string     `json:"column"`
	Knots     []float64  `json:"knots"`     // none where the values hold no spline
	Reference float64    `json:"reference"` // the median
	Origin    *float64   `json:"origin,omitempty"`
	Quartiles [2]float64 `json:"quartiles"`
	X         []float64  `json:"x"`
	Effect    []float64  `json:"effect"`          // of the score
	Scale     float64    `json:"scale,omitempty"` // log odds per unit of score; none where the link is not logistic
	Contrasts []Contrast `json:"contrasts"`
	Bins      []int      `json:"bins"` // values of the rows trained on, in equal bins from the first of X to the last
}

// Contrast is what a value adds to the score beyond another one, and the odds
// ratio of that where the link is logistic (Harrell, Regression Modeling
// Strategies, 5.1: an effect over the quartiles says more than a coefficient).
type Contrast struct {
	From      float64  `json:"from"`
	To        float64  `json:"to"`
	Effect    float64  `json:"effect"`
	OddsRatio *float64 `json:"odds_ratio"`
}

// SplineBand is the pointwise 95 % band of a SplineCurve over refits of the whole
// pipeline, knots included: percentile intervals at its X and of its contrasts.
// Null where too few refits have the column.
type SplineBand struct {
	Column    string          `json:"column"`
	Low       []*float64      `json:"low"`
	High      []*float64      `json:"high"`
	Contrasts []stat.Estimate `json:"contrasts"`
	OddsRatio []stat.Estimate `json:"odds_ratio"`
	Refits    int             `json:"refits"` // with the column
}

const (
	curveSteps = 12 // points of a curve between two knots
	rugBins    = 40
)

// curves draws the splines of the final fit; none of trees and kernels.
func (j *eventRun) curves() []SplineCurve {
	fit := j.model.final.Fitted
	if len(j.spec.Splines) == 0 || fit.Trees != nil || fit.Kernel != nil {
		return nil
	}
	var all []SplineCurve
	for _, c := range j.p.final.design.pre.Columns {
		if len(c.Knots) > 0 {
			all = append(all, j.curve(c, fit))
		}
	}
	return all
}

func (j *eventRun) curve(c prep.Column, fit *fit.Fitted) SplineCurve {
	pre := j.p.final.design.pre
	values := j.p.values(c)
	s := SplineCurve{Column: c.Name, Knots: c.Knots, Reference: c.Median, Origin: c.Origin, X: along(c),
		Scale: j.how.Link.Scale, Bins: make([]int, rugBins)}
	s.Quartiles[0], _, s.Quartiles[1] = stat.Quartiles(values)
	for _, x := range s.X {
		s.Effect = append(s.Effect, pre.Effect(fit.W, c.Name, x, c.Median))
	}
	for _, pair := range s.pairs() {
		k := Contrast{From: pair[0], To: pair[1], Effect: pre.Effect(fit.W, c.Name, pair[1], pair[0])}
		if s.Scale > 0 {
			k.OddsRatio = oddsRatio(s.Scale, k.Effect)
		}
		s.Contrasts = append(s.Contrasts, k)
	}
	for _, v := range values {
		s.Bins[min(int((v-c.Min)/(c.Max-c.Min)*rugBins), rugBins-1)]++
	}
	return s
}

// values are the present ones of a numeric column in the rows trained on.
func (p *Prepared) values(c prep.Column) []float64 {
	var all []float64
	num := p.t.Column(c.Name).Num
	rows, _ := p.features(p.final.train())
	for _, row := range rows {
		if v := num[row]; !math.IsNaN(v) {
			if c.Origin != nil {
				v -= *c.Origin
			}
			all = append(all, v)
		}
	}
	return all
}

// pairs are the values that are contrasted: either quartile with the median,
// and one with the other.
func (s *SplineCurve) pairs() [][2]float64 {
	return [][2]float64{{s.Reference, s.Quartiles[0]}, {s.Reference, s.Quartiles[1]}, {s.Quartiles[0], s.Quartiles[1]}}
}

// along returns the places to draw a curve at: its ends and knots with as many
// points between each two, so that it is fine where the values are.
func along(c prep.Column) []float64 {
	stops := slices.Concat([]float64{c.Min}, c.Knots, []float64{c.Max})
	var x []float64
	for k := 1; k < len(stops); k++ {
		for i := range curveSteps {
			if step := stops[k] - stops[k-1]; step > 0 {
				x = append(x, stops[k-1]+step*float64(i)/curveSteps)
			}
		}
	}
	return append(x, c.Max)
}

// fewerKnots says which columns bend less than asked.
func (p *Prepared) fewerKnots() []Warning {
	var all []Warning
	for _, c := range p.final.design.pre.Columns {
		switch asked, n := p.spec.Splines[c.Name], len(c.Knots); {
		case n == asked:
		case n == 0:
			all = append(all, check.Note(WarnSpline, c.Name,
				"‘%s’ has too few distinct values for a spline: it enters as a straight line.", c.Name))
		default:
			all = append(all, check.Note(WarnSpline, c.Name, "‘%s’ has too few distinct values for %d knots: it enters with %d.",
				c.Name, asked, n))
		}
	}
	return all
}

// bends is what one refit says of the curves of the run, at the same places:
// nil for a column that the refit lacks.
func bends(curves []SplineCurve, pre *prep.Preprocessor, w []float64) (effect, contrast [][]float64) {
	effect, contrast = make([][]float64, len(curves)), make([][]float64, len(curves))
	for k := range curves {
		s := &curves[k]
		if !slices.ContainsFunc(pre.Columns, func(c prep.Column) bool { return c.Name == s.Column }) {
			continue
		}
		for _, x := range s.X {
			effect[k] = append(effect[k], pre.Effect(w, s.Column, x, s.Reference))
		}
		for _, pair := range s.pairs() {
			contrast[k] = append(contrast[k], pre.Effect(w, s.Column, pair[1], pair[0]))
		}
	}
	return effect, contrast
}

// splineBands gives the run's curves their bands.
func (w *Refits) splineBands(kept []*refit) []SplineBand {
	var all []SplineBand
	for k := range w.curves {
		s := &w.curves[k]
		b := SplineBand{Column: s.Column}
		for _, r := range kept {
			if r.effect[k] != nil {
				b.Refits++
			}
		}
		for i := range s.X {
			low, high := stat.Percentiles(drawsOf(kept, func(r *refit) []float64 { return r.effect[k] }, i))
			b.Low, b.High = append(b.Low, defined(low)), append(b.High, defined(high))
		}
		for i, c := range s.Contrasts {
			draws := drawsOf(kept, func(r *refit) []float64 { return r.contrast[k] }, i)
			b.Contrasts = append(b.Contrasts, resampled(c.Effect, draws))
			var odds stat.Estimate
			if s.Scale > 0 {
				for d := range draws {
					draws[d] = math.Exp(s.Scale * draws[d])
				}
				odds = resampled(math.Exp(s.Scale*c.Effect), draws)
			}
			b.OddsRatio = append(b.OddsRatio, odds)
		}
		all = append(all, b)
	}
	return all
}

// drawsOf gathers the i-th number of every refit, NaN where it lacks it.
func drawsOf(kept []*refit, of func(*refit) []float64, i int) []float64 {
	draws := make([]float64, len(kept))
	for d, r := range kept {
		if draws[d] = math.NaN(); of(r) != nil {
			draws[d] = of(r)[i]
		}
	}
	return draws
}

// movedSplines are the curves of a score b times as steep.
func movedSplines(old []SplineCurve, b, scale float64) []SplineCurve {
	all := slices.Clone(old)
	for k := range all {
		s := &all[k]
		s.Effect, s.Contrasts = times(s.Effect, b), slices.Clone(s.Contrasts)
		for i := range s.Contrasts {
			c := &s.Contrasts[i]
			if c.Effect *= b; c.OddsRatio != nil {
				c.OddsRatio = oddsRatio(scale, c.Effect)
			}
		}
	}
	return all
}

// KnotsOf returns the knots of the spline that a term is part of, nil where it
// is none: the same name on other knots is another term.
func (r *Result) KnotsOf(term string) []float64 {
	for _, s := range r.Splines {
		if prime, ok := strings.CutPrefix(term, s.Column); ok && (prime == "" || slices.Contains(prep.Primes[:], prime)) {
			return s.Knots
		}
	}
	return nil
}

// KnotWords says how a column enters a linear model.
func KnotWords(knots int) string {
	if knots == 0 {
		return "straight line"
	}
	return fmt.Sprintf("%d knots", knots)
}

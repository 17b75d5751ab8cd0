package engine

import (
	"math"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
)

// WarnSpline marks a column with too few distinct values for the knots asked for.
const WarnSpline = "fewer-knots"

const (
	curveSteps = 12 // points of a curve between two knots
	rugBins    = 40
)

// curves returns the partial effects of the splines in the final fit; none for trees and kernels.
func (j *eventRun) curves() []SplineCurve {
	fit := j.model.Final.Fitted
	if len(j.spec.Splines) == 0 || fit.Trees != nil || fit.Kernel != nil {
		return nil
	}
	var all []SplineCurve
	for _, c := range j.p.Final.Design.Pre.Columns {
		if len(c.Knots) > 0 {
			all = append(all, j.curve(c, fit))
		}
	}
	return all
}

func (j *eventRun) curve(c prep.Column, fit *fit.Fitted) SplineCurve {
	pre := j.p.Final.Design.Pre
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

// values returns the values of a numeric column in the training rows, without missing ones.
func (p *Prepared) values(c prep.Column) []float64 {
	var all []float64
	num := p.Table.Column(c.Name).Num
	rows, _ := p.Features(p.Final.Train())
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

// pairs returns the values to contrast: each quartile with the median, and the quartiles with each other.
func (s *SplineCurve) pairs() [][2]float64 {
	return [][2]float64{{s.Reference, s.Quartiles[0]}, {s.Reference, s.Quartiles[1]}, {s.Quartiles[0], s.Quartiles[1]}}
}

// along returns the places at which a curve is evaluated: its ends, its knots, and equally many points between
// each two of these, so the grid is finest where the data are dense.
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

// fewerKnots warns of the columns whose splines have fewer knots than asked for.
func (p *Prepared) fewerKnots() []Warning {
	var all []Warning
	for _, c := range p.Final.Design.Pre.Columns {
		switch asked, n := p.Spec.Splines[c.Name], len(c.Knots); {
		case n == asked:
		case n == 0:
			all = append(all, check.Note(WarnSpline, c.Name,
				"‘%s’ has too few distinct values for a spline: it enters as a straight line.", c.Name))
		default:
			all = append(all, check.Note(WarnSpline, c.Name,
				"‘%s’ has too few distinct values for %d knots: it enters with %d.",
				c.Name, asked, n))
		}
	}
	return all
}

// movedSplines returns the curves for a score multiplied by b.
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

// KnotsOf returns the knots of the spline that a term belongs to, nil for other terms. Terms with the same name
// and other knots are different terms.
func (r *Result) KnotsOf(term string) []float64 {
	for _, s := range r.Splines {
		if prime, ok := strings.CutPrefix(term, s.Column); ok && (prime == "" || slices.Contains(prep.Primes[:], prime)) {
			return s.Knots
		}
	}
	return nil
}

// besideWords names the comparison regression in a sentence. A model with splines is compared with a regression
// without them.
func (r *Result) besideWords() string {
	if len(r.Splines) > 0 {
		return "logistic regression in straight lines cut at the same boundaries"
	}
	return "logistic regression cut at the same boundaries"
}

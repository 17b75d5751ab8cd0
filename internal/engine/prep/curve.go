package prep

import (
	"math"
	"slices"

	"taper/internal/engine/spline"
	"taper/internal/engine/usererr"
)

// bend sets the column's knots and returns the nonlinear terms of its spline. It uses fewer
// than k knots where there are too few distinct values, and none for k = 0. The first present
// entries of f.buf are the observed training values; the rest are imputed medians, which must
// not attract knots.
func (f *fitter) bend(col *Column, k, present int) (terms []Term) {
	if k == 0 {
		return nil
	}
	sorted := slices.Clone(f.buf[:present])
	slices.Sort(sorted)
	for ; k >= spline.MinKnots; k-- {
		if !spline.Distinct(sorted, k) {
			continue
		}
		if col.Knots = spline.Knots(sorted, k); col.Knots == nil {
			continue
		}
		if terms = f.curved(col); terms != nil {
			return terms
		}
	}
	col.Knots = nil
	return nil
}

// Primes mark the nonlinear terms of a spline, as in age′, age″, age‴.
var Primes = [spline.MaxKnots - 2]string{"′", "″", "‴"}

// curved returns the nonlinear terms of a column, or nil if one of them is constant.
func (f *fitter) curved(col *Column) (terms []Term) {
	raw := make([]float64, len(f.buf))
	for j := range len(col.Knots) - 2 {
		for i, v := range f.buf {
			raw[i] = spline.Term(v, col.Knots, j)
		}
		mean, sd := meanSD(raw)
		if !(sd > 0) {
			return nil
		}
		name := col.Name + Primes[j]
		terms = append(terms, f.term(Term{Name: name, Kind: Spline, Knot: j + 1}, mean, sd))
	}
	return terms
}

// Effect returns the partial effect of a column on a linear score: the difference between its
// values v and at, given the weights w of all terms. For a column without terms it is 0.
func (p *Preprocessor) Effect(w []float64, column string, v, at float64) (sum float64) {
	if len(w) != len(p.Terms) {
		panic("prep: one weight a term is needed")
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Name != column {
			continue
		}
		for j := range p.Terms {
			if t := &p.Terms[j]; t.Column == column && t.Kind != MissingLevel {
				sum += w[j] / t.SD * (c.bare(t, v) - c.bare(t, at))
			}
		}
	}
	return sum
}

// IsSplineTerm reports whether a term belongs to a spline; the linear term of the spline counts
// too.
func (p *Preprocessor) IsSplineTerm(term int) bool {
	t := &p.Terms[term]
	if t.Kind != Value {
		return t.Kind == Spline
	}
	return slices.ContainsFunc(p.Columns, func(c Column) bool { return c.Name == t.Column && len(c.Knots) > 0 })
}

// bare is the value of a term before standardisation, for a number v in the unit of Min, Max
// and Knots.
func (c *Column) bare(t *Term, v float64) float64 {
	if t.Kind == Spline {
		return spline.Term(v, c.Knots, t.Knot-1)
	}
	return v
}

// CheckKnots validates the knots of a column and of its spline terms; the model may come from a
// file.
func (c *Column) CheckKnots(terms []Term) error {
	if n := len(c.Knots); n > 0 && n < spline.MinKnots {
		return usererr.New(usererr.Invalid, "Column %q has %d knots: a spline needs 3.", c.Name, n)
	}
	for j, v := range c.Knots {
		if math.IsNaN(v) || math.IsInf(v, 0) || j > 0 && !(v > c.Knots[j-1]) {
			return usererr.New(usererr.Invalid, "The knots of column %q do not ascend.", c.Name)
		}
	}
	for _, t := range terms {
		if t.Kind == Spline && (c.Kind != Number || t.Knot < 1 || t.Knot > len(c.Knots)-2) {
			return usererr.New(usererr.Invalid, "Term %q has no knot of its column.", t.Name)
		}
	}
	return nil
}

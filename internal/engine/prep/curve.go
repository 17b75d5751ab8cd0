package prep

import (
	"math"
	"slices"

	"taper/internal/engine/spline"
	"taper/internal/engine/usererr"
)

// bend gives a column k knots and returns its curved terms: fewer where the
// values do not hold so many, none for 0. Of f.buf, the values of the training
// rows, the first were present and the median stands for the others.
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

// Primes tell the curved terms of a column apart: age′, age″, age‴.
var Primes = [spline.MaxKnots - 2]string{"′", "″", "‴"}

// curved returns the curved terms of a column, nil when one does not vary.
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

// Effect returns what a number of a column adds to a linear score with the given
// weights, one a term, beyond what the number at does: its partial effect. A
// column without terms adds nothing.
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

// IsSplineTerm reports whether a term is one of those that make a spline together, the
// straight one too.
func (p *Preprocessor) IsSplineTerm(term int) bool {
	t := &p.Terms[term]
	if t.Kind != Value {
		return t.Kind == Spline
	}
	return slices.ContainsFunc(p.Columns, func(c Column) bool { return c.Name == t.Column && len(c.Knots) > 0 })
}

// bare is the value of a term before standardisation, of a number in the unit of
// Min, Max and Knots.
func (c *Column) bare(t *Term, v float64) float64 {
	if t.Kind == Spline {
		return spline.Term(v, c.Knots, t.Knot-1)
	}
	return v
}

// CheckKnots reports knots of a column that are none, and spline terms without a
// knot of theirs: a model may come from a file.
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

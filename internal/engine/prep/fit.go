package prep

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// limit bounds numbers so that their squares can be summed without overflow.
const limit = 1e150

// fitter learns the columns one after the other.
type fitter struct {
	rows        []int
	standardize bool
	dialect     table.Dialect
	knots       map[string]int // for columns that are splines
	buf         []float64      // training values of the current column, missing ones imputed
}

// column learns one column. Fit sets the Column field of its terms. A column that is constant
// in the training rows has no terms.
func (f *fitter) column(c *table.Column) (Column, []Term, error) {
	col := Column{Name: c.Name, Missing: missingTexts(f.dialect.Missing, c)}
	switch {
	case c.Type == table.Date && c.Spec.DateAs != "days":
		return col, nil, usererr.New(usererr.Invalid, "Column %q holds dates: turn it into days, or leave it out.",
			c.Name).At(0,
			c.Name)
	case c.Numeric() || c.Type == table.Constant && c.Num != nil:
		return f.number(col, c)
	case c.Type == table.Boolean, c.Type == table.Category, c.Type == table.Constant:
		terms := f.category(&col, c)
		return col, terms, nil
	}
	return col, nil, usererr.New(usererr.Invalid, "Column %q is read as %s: leave it out, or change its type.", c.Name,
		c.Type).At(0, c.Name)
}

// missingTexts lists every text that means missing in c: the dialect's codes, the user's, and
// those detected.
func missingTexts(dialect []string, c *table.Column) []string {
	if dialect == nil {
		dialect = table.DefaultMissing
	}
	all := []string{}
	for _, text := range slices.Concat(dialect, c.Spec.MissingCodes, c.MissingCodes) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// number learns a numeric column: median, range, and its value, spline and missing-indicator
// terms.
func (f *fitter) number(col Column, c *table.Column) (Column, []Term, error) {
	col.Kind, col.NonNumeric, col.Decimal, col.Layout = Number, c.Spec.NonNumeric, c.Decimal, c.Layout
	if f.dialect.Thousands != "none" {
		col.Thousands = f.dialect.Thousands
	}
	absent := f.gather(c.Num)
	if absent == len(f.rows) {
		return col, nil, nil
	}
	if c.Type == table.Date {
		first := slices.Min(f.buf)
		col.Origin = &first
		floats.AddConst(-first, f.buf)
	}
	col.Min, col.Max = slices.Min(f.buf)+0, slices.Max(f.buf)+0 // + 0: JSON's omitempty drops the sign of −0
	if !(col.Min > -limit && col.Max < limit) {
		return col, nil, usererr.New(usererr.Invalid,
			"Column %q holds a number beyond ±1e150: give it another unit, or leave it out.", c.Name).At(0, c.Name)
	}
	col.Median = median(f.buf) + 0
	for range absent {
		f.buf = append(f.buf, col.Median)
	}
	others := 0
	for _, v := range f.buf {
		if v != col.Median {
			others++
		}
	}
	col.Sparse = others > 0 && others < MinRows
	var terms []Term
	if mean, sd := meanSD(f.buf); sd > 0 && col.Min < col.Max {
		terms = append(terms, f.term(Term{Name: c.Name, Kind: Value}, mean, sd))
		terms = append(terms, f.bend(&col, f.knots[c.Name], len(f.rows)-absent)...)
	}
	if col.Indicator = absent >= MinRows; col.Indicator {
		terms = append(terms, f.indicator(Term{Name: c.Name + " missing", Kind: MissingLevel}, absent))
	}
	return col, terms, nil
}

// meanSD returns the mean and the population SD. Squares of deviations below 1e-150 underflow
// and above 1e150 overflow. Such columns are rescaled by their largest deviation; all others
// keep the bits of the plain formula.
func meanSD(x []float64) (mean, sd float64) {
	mean, sd = stat.PopMeanStdDev(x, nil)
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v-mean))
	}
	if largest == 0 || largest > 1e-140 && largest < 1e140 {
		return mean, sd
	}
	sum := 0.0
	for _, v := range x {
		d := (v - mean) / largest
		sum += d * d
	}
	return mean, largest * math.Sqrt(sum/float64(len(x)))
}

// gather copies the observed training values into f.buf and counts the missing ones.
func (f *fitter) gather(num []float64) (absent int) {
	f.buf = slices.Grow(f.buf[:0], len(f.rows))
	for _, i := range f.rows {
		if v := num[i]; !math.IsNaN(v) {
			f.buf = append(f.buf, v)
		}
	}
	return len(f.rows) - len(f.buf)
}

// category learns the levels. The most frequent one is the reference (ties: first in byte
// order); levels with fewer than MinRows rows share one term, and missing values with fewer count among them.
func (f *fitter) category(col *Column, c *table.Column) (terms []Term) {
	col.Kind, col.Aliases, col.Join = Category, c.Aliases, c.Spec.JoinLevels
	count, absent := f.count(c)
	seen := byName(c.Levels, count)
	if len(seen) == 0 {
		return nil
	}
	reference := slices.MaxFunc(seen, func(a, b int) int { return cmp.Compare(count[a], count[b]) })
	col.Reference = c.Levels[reference]
	pooled := 0
	for _, k := range seen {
		switch name := c.Levels[k]; {
		case k == reference:
		case count[k] < MinRows:
			col.Pooled = append(col.Pooled, name)
			pooled += count[k]
		default:
			col.Levels = append(col.Levels, name)
			terms = append(terms, f.indicator(Term{Name: c.Name + " = " + name, Kind: Level, Level: name}, count[k]))
		}
	}
	col.Indicator = absent >= MinRows
	if pooled > 0 {
		if !col.Indicator { // then a missing value is scored by this term
			pooled += absent
		}
		terms = append(terms, f.indicator(Term{Name: c.Name + " = (other)", Kind: OtherLevel}, pooled))
	}
	if col.Indicator {
		terms = append(terms, f.indicator(Term{Name: c.Name + " missing", Kind: MissingLevel}, absent))
	}
	return terms
}

// count returns the number of training rows per level, and of those without a value.
func (f *fitter) count(c *table.Column) (count []int, absent int) {
	count = make([]int, len(c.Levels))
	for _, i := range f.rows {
		if c.Code == nil || c.Code[i] < 0 {
			absent++
			continue
		}
		count[c.Code[i]]++
	}
	return count, absent
}

// byName returns the levels that occur, in byte order of their names.
func byName(levels []string, count []int) []int {
	var seen []int
	for k, n := range count {
		if n > 0 {
			seen = append(seen, k)
		}
	}
	slices.SortFunc(seen, func(a, b int) int { return strings.Compare(levels[a], levels[b]) })
	return seen
}

// indicator sets mean and SD of a 0/1 term that is 1 in ones of the training rows.
func (f *fitter) indicator(t Term, ones int) Term {
	p := float64(ones) / float64(len(f.rows))
	return f.term(t, p, math.Sqrt(p*(1-p)))
}

func (f *fitter) term(t Term, mean, sd float64) Term {
	t.Mean, t.SD = 0, 1
	if f.standardize {
		t.Mean, t.SD = mean, sd
	}
	return t
}

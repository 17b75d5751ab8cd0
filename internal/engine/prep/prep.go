// Package prep turns table columns into a design matrix. Everything is learned from the
// training rows alone (docs/clinical.md, Data checks): numbers get the median for missing
// values and a missing-indicator; categories are one-hot encoded, with the most frequent level
// as reference, missing as a level of its own, and levels under 10 rows pooled; terms are
// standardised by the population SD.
//
// Cases that a model must not handle silently:
//
//   - A term that is constant in the training rows is left out; a column without any
//     term is listed in Unused.
//   - A missing value in a column without missing values in training becomes the
//     median (number) or is treated as an unseen level (category).
//   - An unseen level joins the pooled term. Where no level was pooled it is scored as
//     the reference, at which every term of the column is 0.
//   - Values outside the training range are used unchanged; a spline is linear there.
//   - A spline has fewer knots, or none, where the values do not allow the number asked
//     for; Column.Knots has those used.
//
// Row describes each of these in words; none of them prevents a row from being scored.
//
// Conventions: the terms of one column are adjacent, and columns are in the order of Columns.
// Terms of a number: value, spline terms by knot, missing. Terms of a category: levels in byte
// order, other, missing. Levels and Pooled are in byte order. A design matrix is row-major,
// len(rows)×Width().
package prep

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// The kinds of a Column and of a Term.
const (
	Number   = "number"
	Category = "category"

	Value        = "value"   // the number itself
	Spline       = "spline"  // a nonlinear term of a natural cubic spline
	Level        = "level"   // 1 for rows of one level
	OtherLevel   = "other"   // 1 for rows of any pooled level
	MissingLevel = "missing" // 1 for rows without a value
)

// MinRows is the number of training rows from which a level, or missing values, have a term of their own.
const MinRows = 10

// Column describes one input column in model.json, in enough detail for another program to
// rebuild the design matrix.
type Column struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`             // "number" or "category"
	Median float64  `json:"median,omitempty"` // number: replaces a missing value
	Min    float64  `json:"min,omitempty"`    // number: training range
	Max    float64  `json:"max,omitempty"`
	Origin *float64 `json:"origin,omitempty"` // date as days: subtracted first
	// number: all but 1 to 9 training rows have the median as their value, so that a mean or an
	// SD would reveal how many do not
	Sparse bool `json:"sparse,omitempty"`
	// Knots of the natural cubic spline, ascending; none = a linear term only.
	Knots []float64 `json:"knots,omitempty"`
	// Levels are the categories with their own term, Reference is the one without, Pooled are
	// those that share the term "(other)".
	Reference  string            `json:"reference,omitempty"`
	Levels     []string          `json:"levels,omitempty"`
	Pooled     []string          `json:"pooled,omitempty"`
	Aliases    map[string]string `json:"aliases,omitempty"`     // spelling → level, where spellings were joined
	Join       bool              `json:"join,omitempty"`        // levels equal up to blanks, case and final dots are one
	Missing    []string          `json:"missing"`               // texts read as missing
	Indicator  bool              `json:"indicator"`             // a missing-indicator term exists
	NonNumeric string            `json:"non_numeric,omitempty"` // how texts that are no numbers are read
	Decimal    string            `json:"decimal,omitempty"`     // number: its decimal mark, tried before the file's
	Thousands  string            `json:"thousands,omitempty"`   // number: thousands separator
	Layout     string            `json:"layout,omitempty"`      // date: its layout, as in Go's package time
}

// Categories lists the levels that training saw, in byte order.
func (c Column) Categories() []string {
	all := slices.Concat(c.Levels, c.Pooled)
	if c.Reference != "" {
		all = append(all, c.Reference)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Term is one column of the design matrix: x = (raw − Mean)/SD.
type Term struct {
	Name   string  `json:"name"`   // "age", "age′", "sex = M", "chol missing", "site = (other)"
	Column string  `json:"column"` // the Column it comes from
	Kind   string  `json:"kind"`   // "value", "spline", "level", "missing", "other"
	Level  string  `json:"level,omitempty"`
	Knot   int     `json:"knot,omitempty"` // spline: the first knot of this term, counted from 1
	Mean   float64 `json:"mean"`           // 0 when standardisation is off
	SD     float64 `json:"sd"`             // population SD on the training rows; 1 when standardisation is off
}

// Preprocessor is fitted on training rows and can be applied to any rows.
type Preprocessor struct {
	Columns []Column `json:"columns"`
	Terms   []Term   `json:"terms"`
	Unused  []string `json:"unused,omitempty"` // features that never vary in the training rows
}

// Fit learns the design matrix of the named features from the given rows. Without standardize,
// terms keep their natural unit. It checks ctx between columns.
func Fit(ctx context.Context, t *table.Table, features []string, rows []int, standardize bool) (*Preprocessor, error) {
	return FitSplines(ctx, t, features, rows, standardize, nil)
}

// FitSplines is Fit with natural cubic splines: knots gives the number of knots, 3 to 5, of
// numeric columns. Knot positions are learned from the given rows; a row given twice counts
// twice.
func FitSplines(ctx context.Context, t *table.Table, features []string, rows []int, standardize bool,
	knots map[string]int) (*Preprocessor, error) {
	if len(rows) == 0 {
		return nil, usererr.New(usererr.Invalid, "No row to train on.")
	}
	f := fitter{rows: rows, standardize: standardize, dialect: t.Dialect, knots: knots}
	p := &Preprocessor{}
	for _, name := range features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := t.Column(name)
		if c == nil {
			return nil, usererr.New(usererr.Invalid, "The data have no column %q: choose another predictor.", name).At(0, name)
		}
		col, terms, err := f.column(c)
		if err != nil {
			return nil, err
		}
		if len(terms) == 0 {
			p.Unused = append(p.Unused, name)
			continue
		}
		for j := range terms {
			terms[j].Column = name
		}
		p.Columns = append(p.Columns, col)
		p.Terms = append(p.Terms, terms...)
	}
	if len(p.Terms) == 0 {
		return nil, usererr.New(usererr.Invalid, "No predictor varies in the %d training rows: choose other predictors.",
			len(rows))
	}
	return p, nil
}

// MostTerms is an upper bound on the width of a design of the named features, whatever the
// training rows. A level needs MinRows rows to have its own term.
func MostTerms(t table.Shape, features []string, knots map[string]int) (terms int) {
	for _, name := range features {
		c := t.Column(name)
		if c.Missing {
			terms++
		}
		if c.Numeric {
			terms += 1 + max(knots[name]-2, 0)
			continue
		}
		terms += min(c.Levels, t.Rows/MinRows+1)
	}
	return terms
}

// Width is the number of terms.
func (p *Preprocessor) Width() int { return len(p.Terms) }

// Natural converts weights of standardised terms to coefficients per natural unit, and the
// intercept: Σ w_j (r_j − m_j)/s_j + b = Σ (w_j/s_j) r_j + (b − Σ w_j m_j/s_j).
func (p *Preprocessor) Natural(w []float64, b float64) (coef []float64, intercept float64) {
	if len(w) != len(p.Terms) {
		panic("prep: one weight a term is needed")
	}
	coef = make([]float64, len(w))
	for j, t := range p.Terms {
		coef[j] = w[j] / t.SD
		b -= coef[j] * t.Mean
	}
	return coef, b
}

// Recode expresses a linear model (coefficients per natural unit and intercept) in the terms of
// another design of the same columns, fitted on other rows, so that models of bootstrap samples
// can be compared term by term. The coefficient of a level becomes its difference from the
// reference of the other design; a level pooled in p has the pooled coefficient. Spline terms,
// and terms unknown to p, are left out. The intercept is NaN if p does not know a reference
// level of the other design.
func (p *Preprocessor) Recode(coef []float64, intercept float64,
	to *Preprocessor) (terms map[string]float64, at float64) {
	terms, at = map[string]float64{}, intercept
	own := map[string]float64{}
	for j, t := range p.Terms {
		if !p.IsSplineTerm(j) { // knots differ between designs, and with them the spline terms
			own[t.Name] = coef[j]
		}
	}
	start := 0
	for _, c := range p.Columns {
		end := start
		for end < len(p.Terms) && p.Terms[end].Column == c.Name {
			end++
		}
		mine := p.Terms[start:end]
		beyond := func(level string) (v float64, known bool) {
			hit, known := c.exact(mine, level)
			if known && hit >= 0 {
				v = coef[start+hit]
			}
			return v, known
		}
		k := slices.IndexFunc(to.Columns, func(other Column) bool { return other.Name == c.Name && other.Kind == Category })
		base, known := 0.0, true
		if k >= 0 {
			base, known = beyond(to.Columns[k].Reference)
		}
		for _, t := range to.Terms {
			if t.Column != c.Name || !known {
				continue
			}
			v, there := own[t.Name]
			if t.Kind == Level {
				v, there = beyond(t.Level)
			}
			if there {
				terms[t.Name] = v - base
			}
		}
		if at += base; !known {
			at = math.NaN()
		}
		start = end
	}
	return terms, at
}

// each calls do for every column with its terms and the index of the first.
func (p *Preprocessor) each(do func(c *Column, terms []Term, at int) error) error {
	at := 0
	for i := range p.Columns {
		c, end := &p.Columns[i], at
		for end < len(p.Terms) && p.Terms[end].Column == c.Name {
			end++
		}
		if err := do(c, p.Terms[at:end], at); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// scale standardises one raw value.
func (t *Term) scale(raw float64) float64 {
	v := (raw - t.Mean) / t.SD
	if math.Abs(v) > limit { // far outside a column of tiny values: keep it finite
		return math.Copysign(limit, v)
	}
	return v
}

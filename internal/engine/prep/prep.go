// Package prep turns table columns into a design matrix, with everything
// learned from the training rows alone (docs/clinical.md, Data checks): median and
// missing-indicator for numbers, a level of its own for missing categories,
// one-hot with the commonest level as reference, levels under 10 rows pooled,
// standardisation by the population SD.
//
// The package is opinionated about what a model must not do quietly:
//   - A term that never varies in the training rows is left out, since it can
//     neither help nor get an SD; a column without any term is in Unused.
//   - A missing value that training never saw becomes the median (number) or
//     is treated as an unseen level (category).
//   - An unseen level joins the pooled term; where no level was pooled it
//     scores as the reference, which is where every term of the column is 0.
//   - Values outside the training range are used as they are; a spline goes on
//     there as a straight line.
//   - A column whose values do not hold the knots asked for has fewer, or none;
//     its Knots say how many.
//
// Row says each of these in words; none of them stops a row from being scored.
//
// Conventions: the terms of one column stand side by side and in the order of
// Columns: value, spline terms by knot, missing; or levels in byte order, other, missing. Levels and
// Pooled are in byte order. A design matrix is row-major, len(rows)×Width().
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
	Spline       = "spline"  // a curved term of its natural cubic spline
	Level        = "level"   // 1 for rows of one level
	OtherLevel   = "other"   // 1 for rows of any pooled level
	MissingLevel = "missing" // 1 for rows without a value
)

// MinRows is the number of training rows from which a level has its own term.
const MinRows = 10

// Column is one input column as the model sees it: the part of model.json that
// lets another program rebuild the design matrix.
type Column struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`             // "number" or "category"
	Median float64  `json:"median,omitempty"` // number: stands for a missing value
	Min    float64  `json:"min,omitempty"`    // number: training range
	Max    float64  `json:"max,omitempty"`
	Origin *float64 `json:"origin,omitempty"` // date as days: subtracted first
	// number: 1 to 9 training rows have another value than the median, so that a mean or an
	// SD would count them
	Sparse bool `json:"sparse,omitempty"`
	// Knots are those of a natural cubic spline, ascending; none: a straight line.
	Knots []float64 `json:"knots,omitempty"`
	// Levels are the categories with a term of their own, Reference the one
	// without, Pooled those that share the term "(other)".
	Reference  string            `json:"reference,omitempty"`
	Levels     []string          `json:"levels,omitempty"`
	Pooled     []string          `json:"pooled,omitempty"`
	Aliases    map[string]string `json:"aliases,omitempty"`     // spelling → level, where spellings were joined
	Join       bool              `json:"join,omitempty"`        // levels that differ by blanks, case or final dots are one
	Missing    []string          `json:"missing"`               // texts read as missing
	Indicator  bool              `json:"indicator"`             // a term for "was missing" exists
	NonNumeric string            `json:"non_numeric,omitempty"` // how odd texts are read
	Decimal    string            `json:"decimal,omitempty"`     // number: its own mark, tried before the file's
	Thousands  string            `json:"thousands,omitempty"`   // number: separator of thousands
	Layout     string            `json:"layout,omitempty"`      // date: how it is written, as in Go's package time
}

// Categories are the levels that training saw, in order.
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
	Knot   int     `json:"knot,omitempty"` // spline: which of the column's knots it bends at first, from 1
	Mean   float64 `json:"mean"`           // 0 when standardisation is off
	SD     float64 `json:"sd"`             // population SD on the training rows; 1 when standardisation is off
}

// Preprocessor is fitted on training rows and applied to any.
type Preprocessor struct {
	Columns []Column `json:"columns"`
	Terms   []Term   `json:"terms"`
	Unused  []string `json:"unused,omitempty"` // features that never vary in the training rows
}

// Fit learns the design matrix of the named features from the given rows.
// Without standardize, terms keep their natural unit. It looks at the context
// between columns.
func Fit(ctx context.Context, t *table.Table, features []string, rows []int, standardize bool) (*Preprocessor, error) {
	return FitSplines(ctx, t, features, rows, standardize, nil)
}

// FitSplines is Fit where numeric columns may be natural cubic splines: knots
// says with how many knots, 3 to 5. Where they stand is learned from the given
// rows, a row given twice counting twice.
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

// MostTerms bounds the width of a design of the named features on any rows of a table. A level
// needs MinRows rows for a term of its own.
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

// Natural turns weights on the standardised terms into coefficients per
// natural unit and the intercept that goes with them:
// Σ w_j (r_j − m_j)/s_j + b = Σ (w_j/s_j) r_j + (b − Σ w_j m_j/s_j).
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

// Recode writes a linear model, in coefficients per natural unit and its intercept, in the terms
// of another design of the same columns, which learned its levels from other rows: by the name
// of each term. A level has what it adds beyond the other's reference, whichever level the own
// reference is; a level that the own design pools adds what the pooled ones do. Terms of splines
// and those that the own rows don't know are left out; the intercept is NaN where these hold no row
// of a reference.
func (p *Preprocessor) Recode(coef []float64, intercept float64,
	to *Preprocessor) (terms map[string]float64, at float64) {
	terms, at = map[string]float64{}, intercept
	own := map[string]float64{}
	for j, t := range p.Terms {
		if !p.IsSplineTerm(j) { // knots move: a term of a spline is another one in each design
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

// each calls do for every column with its terms and the position of the first.
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
	if math.Abs(v) > limit { // a number of another world in a column of tiny ones: far, and finite
		return math.Copysign(limit, v)
	}
	return v
}

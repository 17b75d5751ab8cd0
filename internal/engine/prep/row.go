package prep

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// Row writes the design row of one patient, whose cells are texts by column name, as from a
// form, a JSON row or a CSV row. Texts are parsed by the rules of the training file (missing
// codes, odd texts, joined spellings), with the given decimal mark. Every row can be scored.
// The warnings name what was unseen, missing or out of range, as clauses without a full stop,
// in the order of Columns.
func (p *Preprocessor) Row(dst []float64, cell func(column string) (text string, ok bool),
	decimal string) (warnings []string) {
	for _, d := range p.Issues(dst, cell, decimal) {
		warnings = append(warnings, d.Text)
	}
	return warnings
}

// Issue is an irregularity of one value in a row.
type Issue struct {
	Column string
	Kind   string
	Text   string // a clause; it may contain the value

	Value, Low, High float64 // IssueRange: the value and the training range; a date in days since the column's first
}

// The kinds of an Issue.
const (
	IssueAbsent     = "absent"  // the column does not exist
	IssueMissing    = "missing" // the cell is missing
	IssueNotANumber = "odd"     // not a plain number
	IssueRange      = "range"   // outside the training range
	IssueUnseen     = "unseen"  // a level that training never saw
	IssueUnnamed    = "unnamed" // unseen, or pooled in training: this model no longer lists the levels it pooled
)

// warner adds an issue of the current column and returns it for further fields.
type warner func(kind, format string, args ...any) *Issue

// Issues is Row, with each warning as an Issue with its kind and column.
func (p *Preprocessor) Issues(dst []float64, cell func(column string) (text string, ok bool),
	decimal string) (doubts []Issue) {
	if len(dst) != p.Width() {
		panic("prep: dst must hold Width() values")
	}
	_ = p.each(func(c *Column, terms []Term, at int) error {
		warn := func(kind, format string, args ...any) *Issue {
			doubts = append(doubts, Issue{Column: c.Name, Kind: kind, Text: fmt.Sprintf(format, args...)})
			return &doubts[len(doubts)-1]
		}
		text, ok := cell(c.Name)
		if !ok {
			warn(IssueAbsent, "column %s is not there: %s", c.Name, c.standIn(terms))
		}
		text = table.Trim(text)
		d := dst[at : at+len(terms)]
		if c.Kind == Number {
			c.numberText(d, terms, text, decimal, ok, warn)
		} else {
			c.levelText(d, terms, text, ok, warn)
		}
		return nil
	})
	return doubts
}

// numberText parses and writes a number; there is false when a missing column was already
// reported.
func (c *Column) numberText(dst []float64, terms []Term, text, decimal string, there bool, warn warner) {
	v, plain := math.NaN(), true
	if there && !c.isMissing(text) {
		if v, plain = c.read(text, decimal); c.isCode(v) {
			v = math.NaN()
		}
	}
	c.number(dst, terms, v)
	switch raw := c.raw(v); {
	case !there:
	case !plain:
		warn(IssueNotANumber, "%s is not a plain number: %s", c.Name, c.standIn(terms))
	case math.IsNaN(v):
		warn(IssueMissing, "%s is missing: %s", c.Name, c.standIn(terms))
	case raw < c.Min || raw > c.Max:
		d := warn(IssueRange, "%s %s is outside the training range %s – %s", c.Name, c.show(raw), c.limit(c.Min, raw),
			c.limit(c.Max, raw))
		d.Value, d.Low, d.High = raw, c.Min, c.Max
	}
}

// levelText parses and writes a category.
func (c *Column) levelText(dst []float64, terms []Term, text string, there bool, warn warner) {
	if !there || c.isMissing(text) {
		c.category(dst, terms, c.absent(terms))
		if there {
			warn(IssueMissing, "%s is missing: %s", c.Name, c.standIn(terms))
		}
		return
	}
	hit, seen := c.hit(terms, text)
	c.category(dst, terms, hit)
	switch {
	case seen:
	case len(c.Pooled) == 0 && c.other(terms) >= 0: // a model stored without its data
		warn(IssueUnnamed, "%s ‘%s’ was in few of the training rows or in none: %s", c.Name, text, c.unseen(terms))
	default:
		warn(IssueUnseen, "%s ‘%s’ was not in the training rows: %s", c.Name, text, c.unseen(terms))
	}
}

// standIn describes what replaces a missing value.
func (c *Column) standIn(terms []Term) string {
	switch {
	case c.Kind == Number && c.Indicator:
		return fmt.Sprintf("replaced by the training median (%s) and the term ‘%s missing’%s", c.show(c.Median), c.Name,
			c.basis(terms))
	case c.Kind == Number:
		return fmt.Sprintf("replaced by the training median (%s)", c.show(c.Median))
	case c.Indicator:
		return fmt.Sprintf("scored by the term ‘%s missing’%s", c.Name, c.basis(terms))
	}
	return "too few training rows lacked it to learn from, " + c.unseen(terms)
}

// basis says which share of the training rows the term of missing values rests on, where the model stores it.
func (c *Column) basis(terms []Term) string {
	for _, t := range terms {
		if t.Kind == MissingLevel && t.Mean > 0 && t.Mean < 1 {
			return ", learned from " + phrase.Significant(100*t.Mean, 2) + "\u00a0% of the training rows"
		}
	}
	return ""
}

// unseen describes how an unseen level is scored.
func (c *Column) unseen(terms []Term) string {
	if c.other(terms) >= 0 {
		return "scored with the rare levels as ‘(other)’"
	}
	return fmt.Sprintf("scored as the reference ‘%s’", c.Reference)
}

// raw converts a value to the unit of Min, Max and Median: a date becomes days since Origin.
func (c *Column) raw(v float64) float64 {
	if c.Origin != nil {
		v -= *c.Origin
	}
	return v
}

// TypicalValue is the typical cell of a column: the median, with a decimal point; for a date in
// ISO 8601; for a category the reference.
func (c *Column) TypicalValue() string {
	switch {
	case c.Kind != Number:
		return c.Reference
	case c.Origin != nil:
		seconds := math.Round((c.Median + *c.Origin) * 24 * 3600)
		return time.Unix(int64(seconds), 0).UTC().Format(time.DateOnly)
	}
	return strconv.FormatFloat(c.Median, 'f', -1, 64)
}

// limit writes a limit of the training range with four digits and those before the decimal point, as the form hints at
// it, or with as many more as tell it from a value on the other side of it.
func (c *Column) limit(limit, raw float64) string {
	if c.Origin != nil {
		return c.show(limit)
	}
	digits := 4
	if math.Abs(limit) < 1e7 { // larger ones are powers of ten
		for size := 1e4; math.Abs(limit) >= size; size *= 10 {
			digits++
		}
	}
	for ; digits < 17; digits++ {
		round, _ := strconv.ParseFloat(strconv.FormatFloat(limit, 'g', digits, 64), 64)
		if cmp.Compare(raw, round) == cmp.Compare(raw, limit) {
			break
		}
	}
	return phrase.Significant(limit, digits)
}

// show formats a raw value for a sentence: a number with all its digits, a date as a date.
func (c *Column) show(raw float64) string {
	if c.Origin != nil {
		day := time.Unix(0, 0).UTC().AddDate(0, 0, int(math.Floor(raw+*c.Origin)))
		return day.Format(time.DateOnly)
	}
	return phrase.Number(raw)
}

package doc

import (
	"fmt"
	"strings"

	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// Format is the format of a number and its interval.
type Format struct {
	Style  Style   `json:"style,omitempty"`
	Digits int     `json:"digits,omitempty"`
	Null   float64 `json:"null,omitempty"`   // Joint: the value of no effect; no other value is shown as this one
	Signed bool    `json:"signed,omitempty"` // of a difference
	Bare   bool    `json:"bare,omitempty"`   // the interval has no brackets
	Before string  `json:"before,omitempty"` // text before the value, such as "× " for a ratio of two
}

// Style is a number format, by the name in stored documents.
type Style string

// The styles.
const (
	Decimals    Style = ""            // fixed decimals
	Percent     Style = "percent"     // a proportion in per cent, with fixed decimals
	Significant Style = "significant" // significant digits
	Ratio       Style = "ratio"       // a likelihood ratio: two decimals, fewer from 10
	Odds        Style = "odds"        // an odds ratio
	Joint       Style = "joint"       // decimals from the width of the interval, equal for value and limits
)

// To is the format with fixed decimals; Shares is the same in per cent.
func To(decimals int) Format     { return Format{Digits: decimals} }
func Shares(decimals int) Format { return Format{Style: Percent, Digits: decimals} }

// Of is the format of a statistic: proportions in per cent, ratios with decimals according to
// their size.
func Of(s stat.Statistic) Format {
	switch {
	case s.Unit == "%":
		return Shares(s.Digits)
	case s.Digits == stat.Figures:
		return Format{Style: Ratio}
	}
	return To(s.Digits)
}

// Measured is the cell of a statistic on the rows that a declared table counts. The registry of
// statistics says which counts it reveals.
func Measured(s stat.Statistic, e stat.Estimate, table string) Cell {
	return Cell{Value: e.Value, Low: e.Low, High: e.High, Format: Of(s),
		Reveals: mask.Ref{Table: table, Row: mask.All, Part: s.Reveals}}
}

// Write formats a number.
func (f Format) Write(v float64) string {
	text := ""
	switch f.Style {
	case Percent:
		text = viz.Percent(v, f.Digits)
	case Significant:
		text = viz.Short(v, f.Digits)
	case Ratio:
		text = viz.Ratio(v)
	case Odds:
		text = viz.OddsNumber(v)
	default:
		text = viz.Number(v, f.Digits)
	}
	if f.Signed && v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Range is a printed range for a number. Without High it means at least Low.
type Range struct {
	Low  float64  `json:"low"`
	High *float64 `json:"high,omitempty"`
}

func (f Format) span(r Range) string {
	low := f.Write(r.Low)
	if r.High == nil {
		return "≥ " + low
	}
	if high := f.Write(*r.High); high != low {
		return viz.Range(low, high)
	}
	return low
}

// Text formats the value without its interval.
func (c Cell) Text() string {
	switch v := c.Value.(type) {
	case nil:
		return viz.None
	case string:
		return v
	case int:
		return phrase.Int(v)
	case float64:
		return c.number(v)
	case *float64:
		if v == nil {
			return viz.None
		}
		return c.number(*v)
	case mask.Span:
		return v.CountText()
	case Range:
		return c.Format.span(v)
	}
	panic(fmt.Sprintf("doc: a cell holds a %T", c.Value))
}

func (c Cell) number(v float64) string {
	if c.Format.Style == Joint && c.Low != nil && c.High != nil {
		text, _ := viz.Estimate(v, *c.Low, *c.High, c.Format.Null)
		return text
	}
	return c.Format.Before + c.Format.Write(v)
}

// Small is the text in small print after the value: its interval or a note.
func (c Cell) Small() string {
	if c.Low == nil || c.High == nil {
		return c.Note
	}
	limits := viz.Range(c.Format.Write(*c.Low), c.Format.Write(*c.High))
	if c.Format.Style == Joint {
		v, ok := c.Value.(float64)
		if p, points := c.Value.(*float64); points {
			v, ok = *p, true
		}
		if ok {
			_, limits = viz.Estimate(v, *c.Low, *c.High, c.Format.Null)
		}
	}
	if viz.Widthless(*c.Low, *c.High, c.Format.Signed) {
		limits = viz.NoInterval
	}
	if c.Format.Bare {
		return limits
	}
	return "(" + limits + ")"
}

// TextRow is a row of plain texts.
func TextRow(texts []string) (r Row) {
	for _, t := range texts {
		r.Cells = append(r.Cells, Cell{Value: t})
	}
	return r
}

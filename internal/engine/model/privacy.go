package model

import (
	"maps"
	"math"
	"slices"
	"time"

	"taper/internal/engine/prep"
)

// HoldsRows reports whether the model is a sum over rows that it was trained
// on, landmarks included, so that it cannot be kept without them.
func (m *Model) HoldsRows() bool {
	p := m.Potentials
	return m.Kind == "kernel" || len(m.Support) > 0 || p != nil && (p.Kernel != nil || len(p.Rows) > 0)
}

// WithoutRows returns the model without what single rows can be read from: the
// levels that share a term because few rows have them, and the first and last
// value of a column. The scores stay the same: such a level joins their term as
// one never seen does, and gets a warning, since it may be one of them; a value is
// outside the range from a little further out.
// The model must not hold rows.
func (m *Model) WithoutRows() *Model {
	if m.HoldsRows() {
		panic("engine: the model is a sum over rows")
	}
	out := *m
	out.Columns, out.Terms = slices.Clone(m.Columns), slices.Clone(m.Terms)
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.Kind == prep.Number {
			out.blur(c)
			continue
		}
		c.Pooled = nil
		c.Aliases = maps.Clone(c.Aliases)
		maps.DeleteFunc(c.Aliases, func(_, to string) bool { return to != c.Reference && !slices.Contains(c.Levels, to) })
	}
	return &out
}

// blur widens the range of a numeric column to a grid of about twenty steps. A
// date counts from the first of January before its first value.
func (m *Model) blur(c *prep.Column) {
	if span := c.Max - c.Min; span > 0 {
		step := math.Pow(10, math.Floor(math.Log10(span))) / 2
		c.Min, c.Max = math.Floor(c.Min/step)*step+0, math.Ceil(c.Max/step)*step+0 // + 0: no −0
	}
	if c.Origin == nil {
		return
	}
	first := time.Unix(0, 0).UTC().AddDate(0, 0, int(math.Floor(*c.Origin)))
	year := float64(time.Date(first.Year(), 1, 1, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	later := *c.Origin - year
	c.Origin, c.Median, c.Min, c.Max = &year, c.Median+later, c.Min+later, c.Max+later
	c.Knots = slices.Clone(c.Knots)
	for k := range c.Knots {
		c.Knots[k] += later
	}
	for k := range m.Terms {
		if t := &m.Terms[k]; t.Column == c.Name && t.Kind == prep.Value {
			t.Mean += later
		}
	}
}

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

// Rare lists, for each term, whether its mean, its SD, or a weight on its scale beside
// one in the column's unit would tell how many rows a small group has: a one-hot level,
// a missing flag or a number of two values holds √(q(1−q)) in its SD, so that the share
// q of its rows follows. The terms of a category are told together, since their shares
// add up: where a level of it, the rows that no term stands for, or any other group has
// 1 to 9 of the rows trained on, all are rare. So are those of which it cannot be seen,
// all of an unknown number of rows.
func (m *Model) Rare(rows int) []bool {
	rare, known := make([]bool, len(m.Terms)), rows > 0
	few := func(n int) bool { return n > 0 && n < prep.MinRows }
	count := func(share float64) (n int, whole bool) {
		of := share * float64(rows)
		return int(math.Round(of)), math.Abs(of-math.Round(of)) < 1e-6*float64(rows)
	}
	for _, c := range m.Columns {
		var group []int // the terms of the column that part its rows
		rest, tells := rows, !known
		for k, t := range m.Terms {
			if t.Column != c.Name || t.Mean == 0 { // on no scale of its own
				continue
			}
			share := t.Mean
			switch {
			case t.Kind == prep.Spline || t.Kind == prep.Value && !twoValues(c, t):
				continue
			case t.Kind == prep.Value:
				share = (t.Mean - c.Min) / (c.Max - c.Min)
			}
			n, whole := count(share)
			if c.Kind == prep.Number { // the number and its flag part the rows each for itself
				rare[k] = !known || !whole || few(n) || few(rows-n)
				continue
			}
			group, rest, tells = append(group, k), rest-n, tells || !whole || few(n)
		}
		for _, k := range group {
			rare[k] = tells || few(rest)
		}
	}
	return rare
}

// twoValues reports whether a number had but two values: the variance of numbers within
// two ends is (max − mean)·(mean − min) for those alone (Bhatia and Davis 2000).
func twoValues(c prep.Column, t prep.Term) bool {
	most := (c.Max - t.Mean) * (t.Mean - c.Min)
	return most > 0 && math.Abs(most-t.SD*t.SD) < 1e-9*most
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

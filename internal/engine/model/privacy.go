package model

import (
	"maps"
	"math"
	"slices"
	"time"

	"taper/internal/engine/fit/multiclass"
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
// 1 to 9 of the training rows, all are rare. So is a number that all but 1 to 9 rows
// have alike, and those terms of which it cannot be seen, all of an unknown number of rows.
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
			if t.Column != c.Name || t.Mean == 0 && t.SD == 1 { // on no scale of its own
				continue
			}
			share := t.Mean
			switch {
			case t.Kind == prep.Value && c.Sparse:
				rare[k] = true
				continue
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
// value of a column, the training errors of trees, and the means and SDs of rare terms (see
// Rare), which would tell how few rows they are of: their weights are those of the natural
// unit. The scores stay the
// same, to the last bits where a weight was folded; a level that shared a term joins it as
// one never seen does, and gets a warning, since it may be one of them; a value is outside
// the range from a little further out.
// The model must not hold rows.
func (m *Model) WithoutRows(rare []bool) *Model {
	if m.HoldsRows() {
		panic("engine: the model is a sum over rows")
	}
	out := *m
	out.Columns, out.Terms = slices.Clone(m.Columns), slices.Clone(m.Terms)
	out.fold(rare)
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

// fold puts terms on the scale of their column: mean 0, SD 1, and what that changes into
// weights, intercepts and splits.
func (m *Model) fold(rare []bool) {
	m.Weights, m.Trees = slices.Clone(m.Weights), slices.Clone(m.Trees)
	for k := range m.Trees {
		m.Trees[k].Nodes = slices.Clone(m.Trees[k].Nodes)
		m.Trees[k].Error, m.Trees[k].Loss = 0, 0 // of the first tree a count of rows
	}
	if m.Potentials != nil {
		own := *m.Potentials
		own.Offsets, own.Weights = slices.Clone(own.Offsets), slices.Clone(own.Weights)
		for k := range own.Weights {
			own.Weights[k] = slices.Clone(own.Weights[k])
		}
		m.Potentials = &own
	}
	for k, is := range rare {
		if !is {
			continue
		}
		t := &m.Terms[k]
		for _, tree := range m.Trees {
			for i := range tree.Nodes {
				if n := &tree.Nodes[i]; n.Below != 0 && n.Feature == k {
					n.Threshold = natural(*t, n.Threshold)
				}
			}
		}
		if len(m.Weights) > 0 {
			m.Intercept -= m.Weights[k] * t.Mean / t.SD
			m.Weights[k] /= t.SD
		}
		m.foldPotentials(k)
		t.Mean, t.SD = 0, 1
	}
}

// natural is a split of a term on the scale of its column. Between 0 and 1 it stands at
// ½, since the place between would tell the mean and the SD.
func natural(t prep.Term, split float64) float64 {
	at := split*t.SD + t.Mean
	switch {
	case t.Kind == prep.Value:
		return at
	case at < 0:
		return -1
	case at < 1:
		return 0.5
	}
	return 1
}

// foldPotentials is fold of term k of several classes. One score against offsets moves
// them instead: f_c = (c+1)·z + Σ_{l≥c} η_l changes by the same for all classes then, and
// so no probability and no answer.
func (m *Model) foldPotentials(k int) {
	if m.Potentials == nil {
		return
	}
	t := m.Terms[k]
	for c, w := range m.Potentials.Weights {
		by := -w[k] * t.Mean / t.SD
		switch m.Potentials.Form {
		case multiclass.FormClasses, multiclass.FormSingle:
			m.Potentials.Offsets[c] += by
		default:
			for l := range m.Potentials.Offsets {
				m.Potentials.Offsets[l] -= by
			}
		}
		w[k] /= t.SD
	}
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

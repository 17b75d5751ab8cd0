package model

import (
	"maps"
	"math"
	"slices"
	"time"

	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/prep"
)

// HoldsRows reports whether the model contains training rows (support vectors or landmarks),
// without which it cannot be stored.
func (m *Model) HoldsRows() bool {
	p := m.Potentials
	return m.Kind == "kernel" || len(m.Support) > 0 || p != nil && (p.Kernel != nil || len(p.Rows) > 0)
}

// Rare reports, for each term, whether its stored numbers reveal that a small group has 1 to 9
// of the training rows. A one-hot level, a missing flag or a number with two values has SD
// √(q(1−q)), so its mean, its SD, or a weight known in both units reveals the proportion q. The
// levels of a category are treated together, since their proportions add up to 1: if a level,
// the rows without a term, or any other group of the category is small, all its terms are rare.
// A number that all but 1 to 9 rows share is rare. With an unknown number of rows every term
// that could be rare is.
func (m *Model) Rare(rows int) []bool {
	rare, known := make([]bool, len(m.Terms)), rows > 0
	few := func(n int) bool { return n > 0 && n < prep.MinRows }
	count := func(share float64) (n int, whole bool) {
		of := share * float64(rows)
		return int(math.Round(of)), math.Abs(of-math.Round(of)) < 1e-6*float64(rows)
	}
	for _, c := range m.Columns {
		var group []int // the terms of the column that divide its rows into groups
		rest, tells := rows, !known
		for k, t := range m.Terms {
			if t.Column != c.Name || t.Mean == 0 && t.SD == 1 { // without a scale of its own
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
			if c.Kind == prep.Number { // a number and its missing flag divide the rows independently
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

// twoValues reports whether a number took only two values: only then is the variance (max −
// mean)·(mean − min), its upper bound (Bhatia and Davis 2000).
func twoValues(c prep.Column, t prep.Term) bool {
	most := (c.Max - t.Mean) * (t.Mean - c.Min)
	return most > 0 && math.Abs(most-t.SD*t.SD) < 1e-9*most
}

// WithoutRows returns the model without what would reveal single rows: the names of pooled
// levels, the minimum and maximum of columns, the training errors of trees, and means and SDs
// of rare terms (see Rare), whose weights are then given in the natural unit. Scores stay the
// same up to the last bits of folded weights. A formerly pooled level is scored like an unseen
// one, with a warning, since it may be one of them. Ranges are rounded outwards, so a value is
// outside the range only a little further out. The model must not hold rows.
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

// fold puts terms on the scale of their column (mean 0, SD 1) and moves the difference into
// weights, intercepts and splits.
func (m *Model) fold(rare []bool) {
	m.Weights, m.Trees = slices.Clone(m.Weights), slices.Clone(m.Trees)
	for k := range m.Trees {
		m.Trees[k].Nodes = slices.Clone(m.Trees[k].Nodes)
		m.Trees[k].Error, m.Trees[k].Loss = 0, 0 // of the first tree they are a count of rows
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

// natural is a split on the scale of its column. A split of a 0/1 term is moved to ½, since its
// exact place would reveal mean and SD.
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

// foldPotentials is fold for term k of several classes. With thresholds (one score, several
// offsets) the offsets move instead: f_c = (c+1)·z + Σ_{l≥c} η_l then changes equally for all
// classes, and no probability or answer changes.
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

// blur widens the range of a numeric column to a grid of 10 to 25 steps. So a value is refused at most
// 15 % of the range later than beside the data.
//
// A date's origin becomes the first of January before the first date.
func (m *Model) blur(c *prep.Column) {
	if span := c.Max - c.Min; span > 0 {
		step := math.Pow(10, math.Floor(math.Log10(span/10)))
		for _, k := range []float64{5, 2} { // 1, 2 or 5 times a power of ten
			if k*step <= span/10 {
				step *= k
				break
			}
		}
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

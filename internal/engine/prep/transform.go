package prep

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// block is the number of rows filled column by column before the next rows, so that the strided
// writes stay in the cache.
const block = 128

// Transform writes the len(rows)×Width() design matrix of the rows to dst. The table need not
// be the one used for fitting: levels are matched by name. It checks ctx occasionally.
func (p *Preprocessor) Transform(ctx context.Context, dst []float64, t *table.Table, rows []int) error {
	width := p.Width()
	if len(dst) != len(rows)*width {
		panic("prep: dst must hold len(rows)×Width() values")
	}
	var fill []filler
	err := p.each(func(c *Column, terms []Term, at int) error {
		f, err := newFiller(c, terms, at, t)
		fill = append(fill, f)
		return err
	})
	if err != nil {
		return err
	}
	for lo := 0; lo < len(rows); lo += block {
		if lo%(64*block) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		part := rows[lo:min(lo+block, len(rows))]
		for i := range fill {
			fill[i].fill(dst[lo*width:], part, width)
		}
	}
	return nil
}

// filler writes the terms of one column.
type filler struct {
	column *Column
	terms  []Term
	at     int // index of the first term
	num    []float64
	code   []int32
	slot   []int // term of each of the table's levels, −1 = reference
	absent int   // term of a missing category
	off    []float64
	on     []float64 // standardised 0 and 1 of each term
}

func newFiller(c *Column, terms []Term, at int, t *table.Table) (filler, error) {
	f := filler{column: c, terms: terms, at: at}
	from := t.Column(c.Name)
	switch {
	case from == nil:
		return f, usererr.New(usererr.Invalid, "The data have no column %q.", c.Name).At(0, c.Name)
	case from.Num == nil && from.Code == nil: // an empty column: every row is missing
	case c.Kind == Number && from.Num == nil || c.Kind == Category && from.Code == nil:
		return f, usererr.New(usererr.Invalid,
			"Column %q is read as %s here, the model was trained on a %s: change its type.",
			c.Name, from.Type, c.Kind).At(0, c.Name)
	case c.Kind == Number:
		f.num = from.Num
		return f, nil
	}
	f.code, f.absent = from.Code, c.absent(terms)
	for _, level := range from.Levels {
		hit, _ := c.hit(terms, level)
		f.slot = append(f.slot, hit)
	}
	for j := range terms {
		f.off, f.on = append(f.off, terms[j].scale(0)), append(f.on, terms[j].scale(1))
	}
	return f, nil
}

// fill writes the column's terms for the rows, the first at dst[at].
func (f *filler) fill(dst []float64, rows []int, width int) {
	end := f.at + len(f.terms)
	if f.column.Kind == Number {
		for i, row := range rows {
			v := math.NaN()
			if f.num != nil {
				v = f.num[row]
			}
			f.column.number(dst[i*width+f.at:i*width+end], f.terms, v)
		}
		return
	}
	for i, row := range rows {
		d := dst[i*width+f.at : i*width+end]
		copy(d, f.off)
		hit := f.absent
		if f.code != nil && f.code[row] >= 0 {
			hit = f.slot[f.code[row]]
		}
		if hit >= 0 {
			d[hit] = f.on[hit]
		}
	}
}

// number writes the terms of a value in the column's unit (a date: days since 1970), NaN for
// missing.
func (c *Column) number(dst []float64, terms []Term, v float64) {
	missing := math.IsNaN(v)
	switch {
	case missing:
		v = c.Median
	case c.Origin != nil:
		v -= *c.Origin
	}
	for j := range terms {
		raw := 0.0
		switch {
		case terms[j].Kind != MissingLevel:
			raw = c.bare(&terms[j], v)
		case missing:
			raw = 1
		}
		dst[j] = terms[j].scale(raw)
	}
}

// category writes the terms of a level: 1 at index hit, 0 elsewhere.
func (c *Column) category(dst []float64, terms []Term, hit int) {
	for j := range terms {
		raw := 0.0
		if j == hit {
			raw = 1
		}
		dst[j] = terms[j].scale(raw)
	}
}

// hit returns the term of a level, −1 for the reference, and whether the level, or a spelling
// joined with it, was in the training rows.
func (c *Column) hit(terms []Term, level string) (hit int, seen bool) {
	if to, ok := c.Aliases[level]; ok {
		level = to
	}
	if hit, seen = c.exact(terms, level); seen || !c.Join {
		return hit, seen
	}
	key := table.Fold(level)
	for _, known := range slices.Concat([]string{c.Reference}, c.Levels, c.Pooled) {
		if table.Fold(known) == key {
			return c.exact(terms, known)
		}
	}
	return hit, false
}

// exact is hit without joined spellings.
func (c *Column) exact(terms []Term, level string) (hit int, seen bool) {
	if level == c.Reference {
		return -1, true
	}
	if k, ok := slices.BinarySearch(c.Levels, level); ok {
		return k, true
	}
	_, seen = slices.BinarySearch(c.Pooled, level)
	return c.other(terms), seen
}

// other returns the term for an unseen level: the pooled term, or −1 for the reference.
func (c *Column) other(terms []Term) int {
	return find(terms, OtherLevel)
}

// absent returns the term for a missing category. If fewer than MinRows training rows lacked the value it is that
// of an unseen level.
func (c *Column) absent(terms []Term) int {
	if c.Indicator {
		return find(terms, MissingLevel)
	}
	return c.other(terms)
}

// find returns the first term of a kind, −1 if there is none.
func find(terms []Term, kind string) int {
	return slices.IndexFunc(terms, func(t Term) bool { return t.Kind == kind })
}

package doc

import (
	"slices"

	"taper/internal/doc/mask"
	"taper/internal/viz"
)

// Policy releases a declared table of counts; the policy of print is mask.Hide.
type Policy func(table string, rows []mask.Split) mask.Table

// Mask returns the document for print: small counts are hidden, and everything that reveals one
// is replaced by its author's substitute or omitted. The result has no functions, forms or
// declared counts, so that no renderer can undo the masking.
func Mask(d Document, p Policy) Document {
	r := mask.Released{}
	for name, rows := range d.Counts {
		r[name] = p(name, rows)
	}
	facts, sections := d.Facts, d.Sections
	d.Counts, d.Facts, d.Sections = nil, nil, nil
	for _, f := range facts {
		if f.Counted != nil {
			f.Value, f.Counted = f.Counted(r), nil
		}
		d.Facts = append(d.Facts, f)
	}
	for _, s := range sections {
		if s.Body = Masked(s.Body, r); len(s.Body) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

// Masked returns the nodes for print, given the released counts.
func Masked(nodes []Node, r mask.Released) (out []Node) {
	for _, n := range nodes {
		if made, ok := n.(Counted); ok {
			out = append(out, Masked(made(r), r)...)
		} else if n = masked(n, r); n != nil {
			out = append(out, n)
		}
	}
	return out
}

func masked(n Node, r mask.Released) Node {
	switch n := n.(type) {
	case nil, Form:
		return nil
	case Guarded:
		if !r.Discloses(n.Reveals) {
			return masked(n.Node, r)
		}
		if n.Instead == nil {
			return nil
		}
		return masked(n.Instead(r), r)
	case Table:
		if t := maskedTable(n, r); t != nil {
			return *t
		}
		return nil
	case Pair:
		var out Pair
		for _, part := range n {
			if part = Masked(part, r); len(part) > 0 {
				out = append(out, part)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case Block:
		if n = Masked(n, r); len(n) == 0 {
			return nil
		}
		return n
	case Curves:
		return Curves(Masked(n, r))
	case Group:
		if n.Body = Masked(n.Body, r); n.Screen || len(n.Body) == 0 {
			return nil
		}
		return n
	case Section:
		if n.Body = Masked(n.Body, r); len(n.Body) == 0 {
			return nil
		}
		return n
	case Drawing:
		if !n.Reveals.Declared() || r.Discloses(n.Reveals) {
			return nil
		}
		n.Reveals = mask.Ref{}
		return n
	case Figure:
		if f := maskedFigure(n, r); f != nil {
			return *f
		}
		return nil
	case Figures:
		var out Figures
		for _, f := range n {
			if f := maskedFigure(f, r); f != nil {
				out = append(out, *f)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	}
	return n
}

// maskedFigure returns nil if nothing of a figure may be printed, also for one without Reveals;
// the same applies to its substitute.
func maskedFigure(f Figure, r mask.Released) *Figure {
	withheld := func(f Figure) bool { return !f.Reveals.Declared() || r.Discloses(f.Reveals) }
	if withheld(f) {
		if f.Instead == nil {
			return nil
		}
		if f = f.Instead(r); withheld(f) {
			return nil
		}
	}
	f.Reveals, f.Instead = mask.Ref{}, nil
	if f.Table != nil {
		if f.Table = maskedTable(*f.Table, r); f.Table == nil {
			return nil
		}
	}
	return &f
}

// maskedTable returns nil if nothing of a table may be printed.
func maskedTable(t Table, r mask.Released) *Table {
	if r.Discloses(t.MaskedNote.Reveals) {
		t.Note += t.MaskedNote.Text
	}
	t.MaskedNote = MaskedNote{}
	rows := t.Rows
	t.Rows, t.Foot = nil, maskedCells(t.Foot, r)
	for _, row := range rows {
		if r.Discloses(row.Reveals) {
			instead := Row{}
			if row.Instead != nil {
				instead = row.Instead(r)
			}
			if row = instead; len(row.Cells) == 0 {
				continue
			}
		}
		shown := maskedCells(row.Cells, r)
		if withheld(row.Cells, shown, r) {
			continue
		}
		row.Cells, row.Reveals, row.Instead = shown, mask.Ref{}, nil
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 && len(rows) > 0 {
		return nil
	}
	return &t
}

func maskedCells(cells []Cell, r mask.Released) (out []Cell) {
	for _, c := range cells {
		if r.Discloses(c.Reveals) {
			instead := Cell{}
			if c.Instead != nil {
				instead = c.Instead(r)
			}
			c = instead
		}
		c.Reveals, c.Instead = mask.Ref{}, nil
		out = append(out, c)
	}
	return out
}

// withheld reports whether masking removed every value of a row except its header.
func withheld(cells, shown []Cell, r mask.Released) bool {
	hidden := false
	for k := range shown[:len(cells)] {
		tells := r.Discloses(cells[k].Reveals)
		if tells && cells[k].Instead != nil {
			return false // a row of ranges is kept even if some are unknown
		}
		hidden = hidden || tells
		if k > 0 && (shown[k].Value != nil && shown[k].Text() != viz.None || shown[k].View != nil) {
			return false
		}
	}
	return hidden
}

// Shown is the table as displayed: a lean one without columns of dashes.
func (t Table) Shown() Table {
	if !t.Lean || len(t.Rows) == 0 {
		return t
	}
	var keep []int
	for k := range t.Columns {
		if k == 0 || slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[k].Text() != viz.None }) {
			keep = append(keep, k)
		}
	}
	out := t
	out.Columns, out.Rows = nil, slices.Clone(t.Rows)
	for _, k := range keep {
		out.Columns = append(out.Columns, t.Columns[k])
	}
	for i, r := range t.Rows {
		out.Rows[i].Cells = nil
		for _, k := range keep {
			out.Rows[i].Cells = append(out.Rows[i].Cells, r.Cells[k])
		}
	}
	return out
}

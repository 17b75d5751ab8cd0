package doc

import (
	"slices"

	"taper/internal/doc/mask"
	"taper/internal/viz"
)

// Policy releases a declared table of counts; mask.Hide is the one of print.
type Policy func(table string, rows []mask.Split) mask.Table

// Print is the policy of print.
func Print(_ string, rows []mask.Split) mask.Table { return mask.Hide(rows) }

// Mask returns the document as print may show it: small counts are hidden, and
// whatever tells of one has what its author put in its place, or is left out. No
// function, no form and no count declared is left, so that no later renderer can
// undo it.
func Mask(d Document, p Policy) Document {
	r := mask.Released{}
	for name, rows := range d.Counts {
		r[name] = p(name, rows)
	}
	sections := d.Sections
	d.Counts, d.Sections = nil, nil
	for _, s := range sections {
		if s.Body = body(s.Body, r); len(s.Body) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

func body(nodes []Node, r mask.Released) (out []Node) {
	for _, n := range nodes {
		if n = masked(n, r); n != nil {
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
		if !r.Tells(n.Reveals) {
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
			if part = body(part, r); len(part) > 0 {
				out = append(out, part)
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case Block:
		if n = body(n, r); len(n) == 0 {
			return nil
		}
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

// maskedFigure is nil where nothing of a figure may be printed.
func maskedFigure(f Figure, r mask.Released) *Figure {
	if r.Tells(f.Reveals) {
		if f.Instead == nil {
			return nil
		}
		f = f.Instead(r)
	}
	f.Reveals, f.Instead = mask.Ref{}, nil
	if f.Table != nil {
		if f.Table = maskedTable(*f.Table, r); f.Table == nil {
			return nil
		}
	}
	return &f
}

// maskedTable is nil where nothing of a table may be printed.
func maskedTable(t Table, r mask.Released) *Table {
	if r.Tells(t.Aside.Reveals) {
		t.Note += t.Aside.Text
	}
	t.Aside = Aside{}
	rows := t.Rows
	t.Rows, t.Foot = nil, maskedCells(t.Foot, r)
	for _, row := range rows {
		if r.Tells(row.Reveals) {
			instead := Row{}
			if row.Instead != nil {
				instead = row.Instead(r)
			}
			if row = instead; len(row.Cells) == 0 {
				continue
			}
		}
		row.Cells, row.Reveals, row.Instead = maskedCells(row.Cells, r), mask.Ref{}, nil
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 && len(rows) > 0 {
		return nil
	}
	return &t
}

func maskedCells(cells []Cell, r mask.Released) (out []Cell) {
	for _, c := range cells {
		if r.Tells(c.Reveals) {
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

// Shown is a table as a page shows it: a lean one without the columns of which every
// cell is a dash.
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

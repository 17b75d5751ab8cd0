package mask

import "taper/internal/engine/stat"

// All is the place of a Ref to a table as a whole.
const All = -1

// Ref is what a number tells of: a row of a declared table of counts, or All of
// them. The zero value tells of no table. Part says which of its counts would
// follow; its zero value is the strictest, so that a number whose author did not
// think of print is withheld where any count of its table is hidden.
type Ref struct {
	Table string
	Row   int
	Part  stat.Part
}

// OfRows is the Ref of what single rows can be read from: the steps of a curve, the marks
// of a plane. Only print that shows small counts declares its table, Rows.
var OfRows = Ref{Table: Rows, Row: All}

// Rows names the table of OfRows. It has no rows of its own.
const Rows = "rows"

// NoCount is the Ref of what no count can be got from, such as the loss over the
// iterations. It is no default: a figure says so.
var NoCount = Ref{Part: stat.Nothing}

// Declared reports whether somebody said what a number or a figure tells of.
func (r Ref) Declared() bool { return r != Ref{} }

// Released are the declared tables of a document as print may show them.
type Released map[string]Table

// Discloses reports whether a number would disclose a hidden count.
func (r Released) Discloses(ref Ref) bool {
	t, declared := r[ref.Table]
	switch {
	case ref.Table == "" || ref.Part == stat.Nothing:
		return false
	case !declared:
		return true // a number about counts that nobody declared is not printed
	case ref.Part == stat.Total:
		return !t.Total.Events.Shown()
	case ref.Row == All:
		return t.Hidden()
	}
	row := t.Rows[ref.Row]
	return !row.N.Shown() || !row.Events.Shown()
}

// Show is a table of which nothing is hidden.
func Show(rows []Split) (t Table) {
	span := func(n int) Span { return Span{Low: n, High: n} }
	row := func(s Split) Row { return Row{N: span(s.N), Events: span(s.Events), Others: span(s.N - s.Events)} }
	var total Split
	for _, s := range rows {
		t.Rows = append(t.Rows, row(s))
		total.N, total.Events = total.N+s.N, total.Events+s.Events
	}
	t.Total = row(total)
	return t
}

package mask

import "taper/internal/engine/stat"

// All is the row of a Ref to a whole table.
const All = -1

// Ref names what a number reveals: a row of a declared table of counts, or All of them. The
// zero value names no table. Part says which of its counts would follow. Its zero value is the
// strictest: a number whose author did not set it is withheld if any count of its table is
// hidden.
type Ref struct {
	Table string
	Row   int
	Part  stat.Part
}

// OfRows is the Ref of something from which single rows can be read, such as the steps of a
// curve or the points of a scatter plot. Its table, Rows, is declared only if small counts are
// printed.
var OfRows = Ref{Table: Rows, Row: All}

// Rows is the table of OfRows. It has no rows.
const Rows = "rows"

// NoCount is the Ref of something that reveals no count, such as the objective by iteration. It
// is not the default: a figure must say so.
var NoCount = Ref{Part: stat.Nothing}

// Declared reports whether the author said what a number or a figure reveals.
func (r Ref) Declared() bool { return r != Ref{} }

// Released are the declared tables of a document in their printed form.
type Released map[string]Table

// Discloses reports whether printing ref would reveal a hidden count.
func (r Released) Discloses(ref Ref) bool {
	t, declared := r[ref.Table]
	switch {
	case ref.Table == "" || ref.Part == stat.Nothing:
		return false
	case !declared:
		return true // numbers about undeclared counts are not printed
	case ref.Part == stat.Total:
		return !t.Total.Events.Shown()
	case ref.Row == All:
		return t.Hidden()
	}
	row := t.Rows[ref.Row]
	return !row.N.Shown() || !row.Events.Shown()
}

// Show is a table without hidden counts.
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

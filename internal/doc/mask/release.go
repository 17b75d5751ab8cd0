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

package mask

// Part says what of a table of counts a number would tell. The zero value is the
// strictest: a number whose author did not think of print is withheld where any
// count of its table is hidden.
type Part int

// The parts.
const (
	Splits  Part = iota // it follows from the events of the rows
	Total               // beside the printed rest it gives the events of all rows
	Nothing             // no count follows from it
)

// All is the place of a Ref to a table as a whole.
const All = -1

// Ref is what a number tells of: a row of a declared table of counts, or All of
// them. The zero value tells of no table.
type Ref struct {
	Table string
	Row   int
	Part  Part
}

// Released are the declared tables of a document as print may show them.
type Released map[string]Table

// Tells reports whether a number would tell a hidden count.
func (r Released) Tells(ref Ref) bool {
	t, declared := r[ref.Table]
	switch {
	case ref.Table == "" || ref.Part == Nothing:
		return false
	case !declared:
		return true // a number about counts that nobody declared is not printed
	case ref.Part == Total:
		return !t.Total.Events.Shown()
	case ref.Row == All:
		return t.Hidden()
	}
	row := t.Rows[ref.Row]
	return !row.N.Shown() || !row.Events.Shown()
}

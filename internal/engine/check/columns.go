package check

import (
	"slices"

	"taper/internal/engine/table"
)

// Columns lists what is doubtful about the columns whatever the outcome, in the
// order a user should read it: questions first, then notes, then what is
// settled. Roles are those of the table (Table.With gives it others).
func Columns(t *table.Table, opt table.Options) []table.Warning {
	d := &checker{t: t, opt: opt, outcome: SuggestOutcome(t).Column}
	d.quoted()
	d.zeroPadded()
	d.missingCodes()
	d.joinedMissing()
	d.zeros()
	d.outliers()
	d.spellings()
	d.followUp()
	d.leaks()
	d.patients()
	d.numbered()
	d.personal()
	d.identical()
	d.redundant()
	d.hardlyVary()
	d.rareLevels()
	d.missingValues()
	d.wide()
	d.manyCategories()
	d.leftOut()
	d.dates()
	d.decided()
	d.manyMissing()
	return table.Join(d.out)
}

// checker collects warnings.
type checker struct {
	t          *table.Table
	opt        table.Options
	outcome    string          // column that is to be predicted, as far as known
	named      map[string]bool // columns already spoken of as personal
	categories []string        // columns already spoken of as categories of many levels
	out        []table.Warning
}

// question is a doubt that needs an answer.
type question struct {
	code, column string
	fact, ask    string
	kept         string // stands in for ask once the user settled it
	row          int
	choices      []table.Choice
}

// ask adds a question; one that the user settled becomes a note.
func (d *checker) ask(q question) {
	w := table.Warning{Code: q.code, Column: q.column, Row: q.row, Message: q.fact + " " + q.ask, Level: "ask",
		Choices: q.choices}
	if slices.Contains(d.opt.Settled, w.Key()) {
		w.Message, w.Level, w.Settled = q.fact+" "+q.kept, "note", true
		w.Choices = slices.DeleteFunc(slices.Clone(q.choices), func(c table.Choice) bool { return c.Settles() })
	}
	d.out = append(d.out, w)
}

// note adds something the user should know.
func (d *checker) note(code, column, message string) {
	d.out = append(d.out, table.Warning{Code: code, Column: column, Message: message, Level: "note"})
}

// settled adds what was done without asking, with the way back.
func (d *checker) settled(code, column, message string, back ...table.Choice) {
	d.out = append(d.out, table.Warning{Code: code, Column: column, Message: message, Level: "note", Settled: true,
		Choices: back})
}

// undo is the choice that uses a column after all.
func undo(c *table.Column) table.Choice {
	return table.Choice{Label: "Undo", Column: &table.ColumnSpec{Name: c.Name, Role: table.Predictor}}
}

// dropColumn is the choice that leaves a column out.
func dropColumn(label string, c *table.Column) table.Choice {
	return table.Choice{Label: label, Column: &table.ColumnSpec{Name: c.Name, Role: table.Exclude}}
}

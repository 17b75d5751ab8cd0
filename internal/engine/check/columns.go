package check

import (
	"slices"

	"taper/internal/engine/table"
)

// Columns lists what is doubtful about the columns for any outcome, in reading order: questions, notes,
// settled ones. Roles are those of the table (Table.With returns one with other roles).
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
	d.predictions()
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
	outcome    string          // the outcome, as far as it is known
	named      map[string]bool // columns already reported as personal data
	categories []string        // columns already reported as categories with many levels
	out        []table.Warning
}

// question is a doubt that needs an answer.
type question struct {
	code, column string
	fact, ask    string
	kept         string // replaces ask once the user has settled it
	row          int
	choices      []table.Choice
}

// ask adds a question, or a note if the user has settled it.
func (d *checker) ask(q question) {
	w := table.Warning{Code: q.code, Column: q.column, Row: q.row, Message: q.fact + " " + q.ask, Level: "ask",
		Choices: q.choices}
	if slices.Contains(d.opt.Settled, w.Key()) {
		w.Message, w.Level, w.Settled = q.fact+" "+q.kept, "note", true
		w.Choices = slices.DeleteFunc(slices.Clone(q.choices), func(c table.Choice) bool { return c.Settles() })
	}
	d.out = append(d.out, w)
}

// note adds information.
func (d *checker) note(code, column, message string) {
	d.out = append(d.out, table.Warning{Code: code, Column: column, Message: message, Level: "note"})
}

// settled adds what was done without asking, and the choices that undo it.
func (d *checker) settled(code, column, message string, back ...table.Choice) {
	d.out = append(d.out, table.Warning{Code: code, Column: column, Message: message, Level: "note", Settled: true,
		Choices: back})
}

// undo is the choice to use a column after all.
func undo(c *table.Column) table.Choice {
	return table.Choice{Label: "Undo", Column: &table.ColumnSpec{Name: c.Name, Role: table.Predictor}}
}

// dropColumn is the choice to leave a column out.
func dropColumn(label string, c *table.Column) table.Choice {
	return table.Choice{Label: label, Column: &table.ColumnSpec{Name: c.Name, Role: table.Exclude}}
}

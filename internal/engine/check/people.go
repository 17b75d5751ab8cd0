package check

import (
	"fmt"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// RepeatedPatients is the code of the only question that concerns a run even if its column is not used:
// rows of one patient in several folds make all figures optimistic.
const RepeatedPatients = "repeated-patients"

// patients asks whether to keep the rows of one patient in one fold.
func (d *checker) patients() {
	for _, c := range d.t.Columns {
		if !looksLikeID(d.t, c) || table.RowNumber(c.Name) || c.Spec.Role == table.Exclude || c.Spec.Role == table.Predictor {
			continue
		}
		rows, people := repeats(c)
		if rows == 0 || !table.HeaderHas(c.Name, patientWords, patientWords) && d.uniqueID(c) {
			continue
		}
		size := fmt.Sprintf("(%s, %s)", phrase.Count(people, "patient"), phrase.Count(d.t.Rows, "row"))
		if c.Role == table.Group {
			d.settled(RepeatedPatients, c.Name, fmt.Sprintf("%s keeps the rows of a patient in one fold %s.", c.Name, size),
				dropColumn("Undo", c))
			continue
		}
		d.ask(question{
			code: RepeatedPatients, column: c.Name,
			fact: fmt.Sprintf("%s belong to patients seen more than once %s.", phrase.Count(rows, "row"), size),
			ask:  "Keep each patient in one fold?", kept: "Rows are treated as independent.",
			choices: []table.Choice{{Label: "Keep together", Column: &table.ColumnSpec{Name: c.Name, Role: table.Group}},
				dropColumn("Rows are independent", c)},
		})
		return // one question about patients is enough
	}
}

// repeats counts the rows whose value occurs more than once, and these values.
func repeats(c *table.Column) (rows, people int) {
	if c.Code != nil {
		for _, n := range c.Count {
			if n > 0 {
				people++
			}
			if n > 1 {
				rows += n
			}
		}
		return rows, people
	}
	count := make(map[float64]int, c.Distinct)
	for _, v := range c.Num {
		if v == v {
			count[v]++
		}
	}
	for _, n := range count {
		if n > 1 {
			rows += n
		}
	}
	return rows, len(count)
}

// leaks asks about headers that name something known only after the outcome. Once an outcome is chosen,
// Outcome asks about values that reveal it.
func (d *checker) leaks() {
	for _, c := range d.t.Columns {
		if c.Name != d.outcome && usable(d.t, c) && leakName(c.Name) && !d.followed(c) {
			d.ask(leakQuestion(c, c.Name+" sounds like something known only after the outcome."))
		}
	}
}

func leakQuestion(c *table.Column, fact string) question {
	return question{
		code: "leak", column: c.Name, fact: fact, ask: "Is it known at the time of prediction?",
		kept:    "Kept as known at the time of prediction.",
		choices: []table.Choice{dropColumn("Leave it out", c), {Label: "It is known then"}},
	}
}

package check

import (
	"fmt"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// numberedLike reports whether whole numbers below an uninformative header look like identifiers: many
// digits, almost never equal, and outside the usual range of measurements. Below a header that names a
// measurement (platelets, income) such numbers count as measured.
func numberedLike(t *table.Table, c *table.Column) bool {
	if c.Type != table.Integer || !silentHeader(c.Name) {
		return false
	}
	present := t.Rows - c.Missing
	lo, hi, _ := table.Extremes(c.Num)
	if present < 50 || lo < 0 {
		return false
	}
	wide := 10*c.Distinct >= 9*present && hi >= 10_000 && hi-lo >= 20*float64(present)
	return wide || c.Distinct == present // row names of a file from which some rows were selected
}

// silentHeader reports whether a header says nothing about the content: c7, V2, x12, col_3, var4, field5,
// unnamed.
func silentHeader(name string) bool {
	joined := table.JoinedHeader(name)
	i := len(joined)
	for i > 0 && '0' <= joined[i-1] && joined[i-1] <= '9' {
		i--
	}
	switch joined[:i] {
	case "", "c", "v", "x", "col", "column", "var", "variable", "field", "f", "feature", "unnamed", "attr", "attribute":
		return true
	}
	return false
}

// numbered asks whether numbers with many digits and no informative header are identifiers. Until
// somebody says that they are measurements they are not predictors: a record number often reflects the
// date of recording, and a model would learn that.
func (d *checker) numbered() {
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Spec.Role == table.Exclude || !numberedLike(d.t, c) {
			continue
		}
		present := d.t.Rows - c.Missing
		if c.Distinct == present && c.Spec.Role == "" {
			if _, hi, _ := table.Extremes(c.Num); hi < 20*float64(present) {
				d.settled("numbered", c.Name, c.Name+" has a different number in every row: left out as a row "+
					"number.", undo(c))
				continue
			}
		}
		fact := fmt.Sprintf("%s has %s different whole numbers in %s", c.Name, phrase.Int(c.Distinct),
			phrase.Count(present, "row"))
		if rows, _ := repeats(c); rows > 0 {
			fact += fmt.Sprintf(", and %s share a number with another row", phrase.Count(rows, "row"))
		}
		if c.Role == table.Group {
			d.settled("numbered", c.Name, fact+": kept for grouping, never a predictor.", dropColumn("Undo", c))
			continue
		}
		choices := []table.Choice{dropColumn("An identifier: leave it out", c)}
		if c.Distinct < present {
			choices = append(choices, table.Choice{Label: "One number per patient: keep together",
				Column: &table.ColumnSpec{Name: c.Name, Role: table.Group}})
		}
		choices = append(choices, table.Choice{Label: "A measurement: use it",
			Column: &table.ColumnSpec{Name: c.Name, Role: table.Predictor}})
		if c.Spec.Role == table.Predictor {
			d.note("numbered", c.Name, fact+": used as a measurement, as you decided.")
			continue
		}
		d.ask(question{code: "numbered", column: c.Name, fact: fact + ".",
			ask:  "Is it an identifier? It is used only if you say that it is a measurement.",
			kept: "Not used.", choices: choices})
	}
}

// uniqueID reports whether another column numbers every row uniquely. A number that repeats then counts
// samples, sites or visits, unless its header says patient.
func (d *checker) uniqueID(but *table.Column) bool {
	for _, c := range d.t.Columns {
		if c != but && c.Distinct == d.t.Rows && !table.RowNumber(c.Name) && looksLikeID(d.t, c) && table.NamesRows(c.Name) {
			return true
		}
	}
	return false
}

var patientWords = table.WordSet(`patient patients pat pt pid ptid patid patientid subject subjects subj subjid
	usubjid participant person persons proband mrn animal`)

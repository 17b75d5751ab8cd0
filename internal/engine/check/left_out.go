package check

import (
	"fmt"
	"slices"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// leftOut reports which columns are left out and why.
func (d *checker) leftOut() {
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Role == table.Outcome || d.named[c.Name] || c.Spec.Role == table.Exclude ||
			c.Spec.Role == table.Prediction {
			continue
		}
		switch {
		case c.Missing == d.t.Rows && d.t.Rows > 0:
			d.settled("empty-column", c.Name, c.Name+" is empty: left out.")
		case c.Type == table.Constant && c.Missing > 0:
			d.settled("constant-column", c.Name, fmt.Sprintf("%s has one value in %s and is empty otherwise: left out.", c.Name,
				phrase.Count(d.t.Rows-c.Missing, "row")))
		case c.Type == table.Constant:
			d.settled("constant-column", c.Name, c.Name+" never varies: left out.")
		case slices.Contains(d.categories, c.Name):
		case c.Type == table.Text:
			d.settled("free-text", c.Name, fmt.Sprintf("%s is free text (%s different values): left out.", c.Name,
				phrase.Int(c.Distinct)))
		case looksLikeID(d.t, c):
			d.identifier(c)
		case mostlyMissing(d.t, c) && c.Type != table.Date:
			d.halfEmpty(c)
		}
	}
}

func (d *checker) identifier(c *table.Column) {
	switch {
	case c.Role == table.Group:
		d.settled("identifier", c.Name, c.Name+" looks like an identifier: kept for grouping, never a predictor.",
			dropColumn("Undo", c))
	case c.Type == table.Identifier:
		d.settled("identifier", c.Name, c.Name+" looks like an identifier: left out.")
	case c.Spec.Role != table.Predictor:
		d.settled("identifier", c.Name, c.Name+" looks like an identifier: left out.", undo(c))
	}
}

func (d *checker) halfEmpty(c *table.Column) {
	missing := fmt.Sprintf("%s is empty in %s of %s (%s)", c.Name, phrase.Int(c.Missing),
		phrase.Count(d.t.Rows, "row"),
		phrase.Share(c.Missing, d.t.Rows))
	if c.Spec.Role == table.Predictor {
		d.note("mostly-missing", c.Name, missing+" and used all the same.")
		return
	}
	d.settled("mostly-missing", c.Name, missing+": left out.", undo(c))
}

// dates reports how dates are used.
func (d *checker) dates() {
	for _, c := range d.t.Columns {
		if c.Type != table.Date || d.named[c.Name] || c.Spec.Role == table.Exclude {
			continue
		}
		if c.Spec.DateAs == "days" {
			d.settled("date", c.Name, c.Name+" is used as days since its earliest date.", dropColumn("Undo", c))
			continue
		}
		days := table.Choice{Label: "Use days since the first",
			Column: &table.ColumnSpec{Name: c.Name, Role: table.Predictor, DateAs: "days"}}
		d.settled("date", c.Name, fmt.Sprintf("%s is a date: left out. It can become days since the first %s.", c.Name,
			c.Name), days)
	}
}

// decided lists what the user decided about columns.
func (d *checker) decided() {
	for _, c := range d.t.Columns {
		if len(c.Spec.MissingCodes) > 0 {
			var codes []string
			for _, m := range c.Spec.MissingCodes {
				codes = append(codes, phrase.Code(m))
			}
			d.settled("missing-code-read", c.Name, fmt.Sprintf("%s is read as missing in "+
				"%s.", phrase.List(codes), c.Name),
				table.Choice{Label: "Undo", Column: &table.ColumnSpec{Name: c.Name, MissingCodes: []string{}}})
		}
		if c.Spec.Role == table.Exclude && c.Type != table.Constant {
			d.settled("left-out", c.Name, c.Name+" is left out, as you decided.", undo(c))
		}
		if c.Spec.Role == table.Prediction {
			d.settled("prediction", c.Name, c.Name+" is a prediction to evaluate, and no predictor.", undo(c))
		}
	}
}

// wide notes tables with too many columns for their number of rows.
func (d *checker) wide() {
	n := Parameters(d.t, UsablePredictors(d.t, d.outcome, "", ""))
	if n > d.t.Rows && d.t.Rows > 0 || n > 1000 {
		d.note("many-columns", "", fmt.Sprintf("%s for %s: the penalty decides much of the model.",
			phrase.Count(n, "parameter"),
			phrase.Count(d.t.Rows, "row")))
	}
}

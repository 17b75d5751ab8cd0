package check

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// nearConstant is the share of the most common value from which a column counts as nearly constant.
const nearConstant = .97

// hardlyVary notes nearly constant predictors: their coefficients depend on a handful of people.
func (d *checker) hardlyVary() {
	var where []string
	var specs []table.ColumnSpec
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || !usable(d.t, c) || c.Spec.Role == table.Predictor {
			continue
		}
		present := d.t.Rows - c.Missing
		n := commonest(c)
		if present < 30 || float64(n) < nearConstant*float64(present) || n == present {
			continue
		}
		where = append(where, fmt.Sprintf("%s (%s other rows)", c.Name, phrase.Int(present-n)))
		specs = append(specs, table.ColumnSpec{Name: c.Name, Role: table.Exclude})
	}
	if len(where) == 0 {
		return
	}
	fact := "1 column has one value in 97 % of its rows or more: "
	if len(where) > 1 {
		fact = fmt.Sprintf("%d columns have one value in 97 %% of their rows or more: ", len(where))
	}
	label := "Leave it out"
	if len(where) > 1 {
		label = "Leave them out"
	}
	d.out = append(d.out, table.Warning{Code: "near-constant", Level: "note",
		Message: strings.ReplaceAll(fact, " %", "\u00a0%") + short(where) + ". Such a column holds little information.",
		Choices: []table.Choice{{Label: label, Columns: specs}}})
}

// commonest counts the rows with a column's most common value; of numbers none of which most rows have, it may count
// those of another one.
func commonest(c *table.Column) (most int) {
	if c.Code != nil {
		return slices.Max(append([]int{0}, c.Count...))
	}
	// The value of most rows outlasts all others when each of its rows cancels one of theirs (Boyer and Moore 1981).
	value, lead := 0.0, 0
	for _, v := range c.Num {
		switch {
		case v != v:
		case lead == 0:
			value, lead = v, 1
		case v == value:
			lead++
		default:
			lead--
		}
	}
	for _, v := range c.Num {
		if v == value {
			most++
		}
	}
	return most
}

// short lists at most six names.
func short(names []string) string {
	if len(names) <= 6 {
		return phrase.List(names)
	}
	return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", len(names)-5)
}

// rareLevels notes levels with one to three rows: too few to learn from, often misspelt, and possibly
// identifying.
func (d *checker) rareLevels() {
	var where []string
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Type != table.Category || !usable(d.t, c) || len(c.Levels) > table.MaxLevels {
			continue
		}
		rare := 0
		for _, n := range c.Count {
			if n >= 1 && n <= 3 {
				rare++
			}
		}
		if rare > 0 && d.t.Rows >= 30 {
			where = append(where, fmt.Sprintf("%s (%s)", c.Name, phrase.Count(rare, "level")))
		}
	}
	if len(where) > 0 {
		d.note("rare-levels", "", fmt.Sprintf("Levels of one to three rows: %s. Levels of fewer than ten rows share one "+
			"coefficient; look for misspelt ones.", short(where)))
	}
}

// manyCategories asks about categories that were read as free text because they have more than fifty
// levels, where most levels repeat. At least half of the rows must have a level that can get a
// coefficient.
func (d *checker) manyCategories() {
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Type != table.Text || Personal(c) || c.Spec.Role == table.Exclude ||
			2*c.Distinct > d.t.Rows-c.Missing {
			continue
		}
		kept, rows := 0, 0 // levels with their own coefficient, and their rows
		for _, n := range c.Count {
			if n >= minLevel {
				kept, rows = kept+1, rows+n
			}
		}
		if present := d.t.Rows - c.Missing; kept < 2 || 2*rows < present {
			continue
		}
		d.ask(question{
			code: "many-levels", column: c.Name,
			fact: fmt.Sprintf("%s has %s levels, some of which occur in several rows. It was read as free text "+
				"and left out. As a category, %s (%s) would each have a coefficient; the other levels would share one.",
				c.Name, phrase.Int(c.Distinct), phrase.Count(kept, "level"), phrase.Count(rows, "row")),
			ask: "Is " + c.Name + " a category?", kept: "It stays left out.",
			choices: []table.Choice{{Label: "Use it, pool the rare levels",
				Column: &table.ColumnSpec{Name: c.Name, Type: table.Category, Role: table.Predictor}}, {Label: "Leave it out"}},
		})
		d.categories = append(d.categories, c.Name)
	}
}

// quoted asks about columns in which all values are enclosed in quotes, because an export quoted them
// twice. Otherwise the quotes are part of each level.
func (d *checker) quoted() {
	var names []string
	var specs []table.ColumnSpec
	for _, c := range d.t.Columns {
		if c.Spec.StripQuotes {
			d.settled("quoted-values", c.Name, "The quotes around the values of "+c.Name+" were removed.")
			continue
		}
		if c.Code == nil || c.Distinct == 0 || c.Spec.Role == table.Exclude {
			continue
		}
		all := true
		for k, l := range c.Levels {
			_, ok := table.Unquoted(l)
			all = all && (c.Count[k] == 0 || ok)
		}
		if all {
			names = append(names, c.Name)
			specs = append(specs, table.ColumnSpec{Name: c.Name, StripQuotes: true})
		}
	}
	if len(names) == 0 {
		return
	}
	d.ask(question{code: "quoted-values", column: strings.Join(names, ", "),
		fact: "Every value of " + short(names) + " is in quotes.", ask: "Remove the quotes?", kept: "The quotes stay.",
		choices: []table.Choice{{Label: "Remove the quotes", Columns: specs}, {Label: "Keep the quotes"}}})
}

// zeroPadded asks about whole numbers with leading zeros: codes lose the zeros when read as numbers.
func (d *checker) zeroPadded() {
	for _, c := range d.t.Columns {
		if c.Padded == 0 || c.Num == nil || c.Type == table.Date || c.Spec.Role == table.Exclude || c.Spec.Type != "" {
			continue
		}
		d.ask(question{
			code: "zero-padded", column: c.Name,
			fact: fmt.Sprintf("%s with leading zeros, which numbers do not keep.",
				phrase.CountWith(c.Padded, "value", "of "+c.Name+" is written", "of "+c.Name+" are written")),
			ask: "Are they codes rather than numbers?", kept: "Read as numbers.",
			choices: []table.Choice{{Label: "Codes", Column: &table.ColumnSpec{Name: c.Name, Type: table.Category}},
				{Label: "Numbers"}},
		})
	}
}

// joinedMissing asks about texts that repeat a word or code for missing, from an export that joined two
// empty fields (NA/NA, -9 -9, n/a;n/a).
func (d *checker) joinedMissing() {
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Spec.Role == table.Exclude {
			continue
		}
		var texts []string
		rows := 0
		add := func(text string, n int) {
			if table.JoinedMissing(text) && n > 0 {
				texts, rows = append(texts, text), rows+n
			}
		}
		if c.Num == nil {
			for k, l := range c.Levels {
				add(l, c.Count[k])
			}
		}
		for _, o := range c.OddTexts {
			add(o.Text, o.Count)
		}
		if len(texts) == 0 || len(texts) > 8 {
			continue
		}
		var quoted []string
		for _, t := range texts {
			quoted = append(quoted, phrase.Quote(t))
		}
		spec := table.ColumnSpec{Name: c.Name, MissingCodes: slices.Concat(c.Spec.MissingCodes, texts)}
		d.ask(question{code: "missing-joined", column: c.Name,
			fact: fmt.Sprintf("%s in %s of %s.", phrase.List(quoted), phrase.Count(rows, "row"), c.Name),
			ask:  "Is it a missing value, written more than once?", kept: "Kept as values.",
			choices: []table.Choice{{Label: "Treat as missing", Column: &spec}, {Label: "Keep as values"}}})
	}
}

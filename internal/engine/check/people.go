package check

import (
	"fmt"
	"slices"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// RepeatedPatients is the code of the doubt that outlives its column: rows of
// one patient in several folds flatter every number.
const RepeatedPatients = "repeated-patients"

// patients asks to keep the rows of one patient in one fold.
func (d *checker) patients() {
	for _, c := range d.t.Columns {
		if !looksLikeID(d.t, c) || rowCounter(c) || c.Spec.Role == table.Exclude || c.Spec.Role == table.Predictor {
			continue
		}
		rows, people := repeats(c)
		if rows == 0 {
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
			ask:  "Keep each patient in one fold?", kept: "Rows count as independent.",
			choices: []table.Choice{{Label: "Keep together", Column: &table.ColumnSpec{Name: c.Name, Role: table.Group}},
				dropColumn("Rows are independent", c)},
		})
		return // one question about patients is enough
	}
}

// rowCounter reports whether the header is that of a row number.
func rowCounter(c *table.Column) bool {
	names := table.WordSet("index rowname rownames rowid rownumber row nr no number lfdnr unnamed0")
	return names[table.JoinedHeader(c.Name)]
}

// repeats counts the rows whose value occurs more than once, and the values.
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

// leaks asks about headers of what is known only once the outcome is. Once an
// outcome is chosen, Outcome asks the same about what the values give
// away.
func (d *checker) leaks() {
	for _, c := range d.t.Columns {
		if c.Name != d.outcome && usable(d.t, c) && leakName(c.Name) {
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

// personal proposes to drop what identifies people before the data are stored
// (clinical.md §5, 11).
func (d *checker) personal() {
	d.named = map[string]bool{}
	for _, c := range d.t.Columns {
		what := personalKind(c)
		if what == "" || c.Name == d.outcome || c.Spec.Role == table.Exclude || c.Spec.Role == table.Group {
			continue
		}
		d.named[c.Name] = true
		if c.Spec.Role != table.Predictor && !usable(d.t, c) {
			d.settled("personal", c.Name, fmt.Sprintf("%s looks like %s: left out and not stored.", c.Name, what))
			continue
		}
		d.ask(question{
			code: "personal", column: c.Name, fact: fmt.Sprintf("%s looks like %s.", c.Name, what),
			ask: "Drop it before the data are stored?", kept: "Kept.",
			choices: []table.Choice{dropColumn("Drop it", c), {Label: "Keep it"}},
		})
	}
	d.oldAges()
}

// personalKind says what personal data a column holds, "" for none.
func personalKind(c *table.Column) string {
	name := table.JoinedHeader(c.Name)
	many := c.Type == table.Text || c.Type == table.Identifier || c.Distinct > 20
	switch {
	case emailNames[name] || contains(c, '@'):
		return "e-mail addresses"
	case phoneNames[name] && many:
		return "telephone numbers"
	case personNames[name] && many && c.Num == nil:
		return "names of people"
	case birthNames[name]:
		return "dates of birth"
	case postcodeNames[name]:
		return "post codes"
	case addressNames[name] && many:
		return "addresses"
	case recordNames[name] && c.Type != table.Boolean:
		return "record numbers"
	}
	return ""
}

// contains reports whether most of the first hundred levels hold the mark
// inside a word, as an e-mail address does.
func contains(c *table.Column, mark byte) bool {
	n := min(100, len(c.Levels))
	hits := 0
	for _, l := range c.Levels[:n] {
		i := slices.Index([]byte(l), mark)
		if i > 0 && i < len(l)-3 && slices.Contains([]byte(l[i:]), '.') {
			hits++
		}
	}
	return n > 0 && 2*hits > n
}

// oldAges notes ages above 89, which can tell who someone is.
func (d *checker) oldAges() {
	for _, c := range d.t.Columns {
		if !ageNames[table.JoinedHeader(c.Name)] || c.Num == nil || c.Spec.Role == table.Exclude {
			continue
		}
		rows := 0
		for _, v := range c.Num {
			if v > 89 && v < 130 && !slices.Contains(codes, v) {
				rows++
			}
		}
		if rows > 0 {
			d.note("old-ages", c.Name, fmt.Sprintf("%s of %s above 89: such ages can tell who someone is.",
				phrase.Count(rows, "row"),
				c.Name))
		}
	}
}

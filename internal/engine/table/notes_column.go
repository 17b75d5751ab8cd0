package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
)

// notes are the warnings about one column.
func (m *merged) notes(c *Column) []Warning {
	var list []Warning
	add := func(w Warning) {
		w.Column = c.Name
		list = append(list, w)
	}
	if c.Type == Number || c.Type == Integer {
		if w, ok := notPlainWarning(c); ok {
			add(w)
		}
		if w, ok := m.oddWarning(c); ok {
			add(w)
		}
	}
	if c.Type == Date {
		if w, ok := m.orderWarning(c); ok {
			add(w)
		}
	}
	if m.spec.Type != "" && m.spec.Type != c.Type {
		add(Warning{Code: "type-refused", Level: "note", Message: fmt.Sprintf("%s cannot be read as %s: read as %s.", c.Name,
			m.spec.Type, c.Type)})
	}
	if !c.Numeric() && c.Type != Text && c.Type != Identifier {
		if w, ok := m.padWarning(); ok {
			add(w)
		}
		if w, ok := m.wordWarning(); ok {
			add(w)
		}
	}
	if !c.Numeric() {
		if w, ok := m.unitWarning(); ok {
			add(w)
		}
	}
	return list
}

// notPlainWarning names the texts that only programs read as numbers (0x1p-2, 1e400).
func notPlainWarning(c *Column) (Warning, bool) {
	n, row, large := 0, 0, false
	for _, o := range c.OddTexts {
		if o.Kind == names[kindNotPlain] {
			v, err := strconv.ParseFloat(o.Text, 64)
			large = large || err == nil && math.Abs(v) > MaxNumber && !math.IsInf(v, 0)
			if n += o.Count; row == 0 {
				row = o.Row
			}
		}
	}
	what, more := "Not a plain number", ""
	if large {
		what = "Not a plain number between −1e150 and 1e150"
	}
	if n > 1 {
		more = fmt.Sprintf(" and %d more", n-1)
	}
	return Warning{Code: "not-plain", Level: "note", Row: row,
		Message: fmt.Sprintf("%s: row %d of %s%s. Read as missing.", what, row, c.Name, more)}, n > 0
}

// oddWarning asks what to do with texts in a numeric column.
func (m *merged) oddWarning(c *Column) (Warning, bool) {
	total, row, has := 0, 0, map[kind]bool{}
	for k := range kinds {
		if !k.reads() && k != kindNotPlain && m.seen[k] > 0 {
			total, has[k] = total+m.seen[k], true
		}
	}
	for _, o := range c.OddTexts {
		if o.Kind != names[kindNotPlain] && o.Kind != names[kindMinus] {
			row = o.Row
			break
		}
	}
	fact := phrase.CountWith(total, "value", "of "+c.Name+" is", "of "+c.Name+" are") + " not numeric"
	w := Warning{Code: "odd-text", Level: "ask", Row: row, Choices: oddChoices(c.Name, has),
		Message: fact + ". How should they be read?"}
	if m.spec.NonNumeric != "" {
		done := map[string]string{"limit": "limits used", "strip": "numbers used",
			"missing": "read as missing"}[m.spec.NonNumeric]
		w.Settled, w.Level = true, "note"
		w.Message = fact + ": " + done + "."
	}
	return w, total > 0
}

// oddChoices lists the answers that apply, starting with the one that changes the data least.
func oddChoices(name string, has map[kind]bool) []Choice {
	var list []Choice
	if has[kindLimit] {
		list = append(list, Choice{Label: "Use the limit (0.5 for <0.5)",
			Column: &ColumnSpec{Name: name, NonNumeric: "limit"}})
	}
	if has[kindUnit] || has[kindMark] {
		list = append(list, Choice{Label: "Use the number (12 for 12 mg)",
			Column: &ColumnSpec{Name: name, NonNumeric: "strip"}})
	}
	return append(list,
		Choice{Label: "Treat as missing", Column: &ColumnSpec{Name: name, NonNumeric: "missing"}},
		Choice{Label: "Read as categories", Column: &ColumnSpec{Name: name, Type: Category}})
}

// orderWarning says whether the day or the month was read first, where every date can be read both ways.
func (m *merged) orderWarning(c *Column) (Warning, bool) {
	if m.order != dmy || c.Spec.Type == Date && m.readable(dmy) == 0 {
		return Warning{}, false
	}
	differ := false
	for _, t := range m.dict.text {
		a, _ := parseDate(t, dmy)
		b, ok := parseDate(t, mdy)
		if !ok {
			return Warning{}, false
		}
		differ = differ || a != b
	}
	return Warning{Code: "date-order", Level: "note",
		Message: fmt.Sprintf("Every date of %s can have the day or the month first: read with the day "+
			"first.", c.Name)}, differ
}

// padWarning says that blanks around a level were ignored.
func (m *merged) padWarning() (Warning, bool) {
	for k, text := range m.dict.text {
		if n := m.pads[k]; n > 0 && n < m.dict.count[k] {
			return Warning{Code: "padded-level", Level: "note", Settled: true,
				Message: fmt.Sprintf("‘%s ’ and ‘%s’ of %s differ only by a space: read as one "+
					"level.", text, text, m.name)}, true
		}
	}
	return Warning{}, false
}

// wordWarning asks about texts that mean missing in some files and are levels in others: None beside Mild, −
// beside +.
func (m *merged) wordWarning() (Warning, bool) {
	plus := slices.ContainsFunc(m.dict.text, func(t string) bool {
		return strings.HasPrefix(t, "+") || strings.HasPrefix(t, "(+")
	})
	for _, t := range m.lost.sorted() {
		if word := strings.ToLower(t.text); word != "none" && (word != "-" || !plus) {
			continue
		}
		if slices.ContainsFunc(m.spec.MissingCodes, func(c string) bool { return strings.EqualFold(c, t.text) }) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(m.miss.dialect), func(c string) bool { return strings.EqualFold(c, t.text) })
		return Warning{Code: "missing-word", Level: "ask", Row: t.row + 1,
			Message: fmt.Sprintf("‘%s’ in %s of %s was read as missing. Is it a "+
				"level?", t.text, phrase.Count(t.count, "row"), m.name),
			Choices: []Choice{{Label: "Keep as missing"}, {Label: "Read as a level", Dialect: &Dialect{Missing: rest}}}}, true
	}
	return Warning{}, false
}

// unitWarning asks whether a column of texts such as "12 mg" is numeric.
func (m *merged) unitWarning() (Warning, bool) {
	like := m.seen[kindUnit]
	for k, n := range m.seen {
		like += n * btoi(kind(k).numberLike())
	}
	ok := m.spec.Type == "" && m.seen[kindUnit] > 0 && like >= 10 && 10*like >= 9*m.n()
	return Warning{Code: "units", Level: "ask",
		Message: phrase.CountWith(m.seen[kindUnit], "value", "of "+m.name+" has a unit", "of "+m.name+" have a unit") +
			". Should they be read as numbers?",
		Choices: []Choice{
			{Label: "Read the numbers", Column: &ColumnSpec{Name: m.name, Type: Number, NonNumeric: "strip"}},
			{Label: "Keep the texts"},
		}}, ok
}

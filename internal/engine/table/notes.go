package table

import (
	"fmt"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
)

// table builds the columns and collects the warnings about reading them.
func (r *reader) table(cols []*merged) *Table {
	t := &Table{Columns: make([]*Column, len(cols)), Rows: cols[0].rows, Dropped: r.dropped}
	notes := make([][]Warning, len(cols))
	commas := 0
	var grouped, thousand []string // names of columns
	parallel.Each(len(cols), 0, func(_, j int) {
		t.Columns[j] = cols[j].column()
		if c := t.Columns[j]; (c.Type == Number || c.Type == Integer) && cols[j].f.mark != r.d.Decimal[0] {
			c.Decimal = string(cols[j].f.mark)
		}
		notes[j] = cols[j].notes(t.Columns[j])
	})
	for j, m := range cols {
		if c := t.Columns[j]; c.Type == Number || c.Type == Integer {
			commas += btoi(m.f.mark == ',' && m.marks > 0)
			if m.seen[kindGrouped] > 0 {
				grouped = append(grouped, c.Name)
			}
			if m.seen[kindThousands] > 0 {
				thousand = append(thousand, c.Name)
			}
		}
	}
	t.Warnings = append(t.Warnings, r.warns...)
	t.Warnings = append(t.Warnings, r.decimals(commas, grouped, thousand)...)
	for _, d := range r.dropped {
		t.Warnings = append(t.Warnings, Warning{Code: "dropped-rows", Level: "note",
			Message: fmt.Sprintf("%s Left out: %s.", d.Reason, phrase.Count(d.Rows, "row"))})
	}
	t.Warnings = append(t.Warnings, slices.Concat(notes...)...)
	settle(t.Warnings, r.opt.Settled)
	t.Dialect, t.Settled, t.Excluded = r.d, r.opt.Settled, r.opt.excluded()
	if t.Dialect.Copies == CopiesFirst {
		t.dropCopies(r.lim.memory)
	}
	return t
}

// settle marks the warnings that the user has answered.
func settle(list []Warning, settled []string) {
	for i := range list {
		if w := &list[i]; slices.Contains(settled, w.Key()) {
			w.Settled, w.Level = true, "note"
			w.Choices = slices.DeleteFunc(slices.Clone(w.Choices), Choice.Settles)
		}
	}
}

// decimals says how decimal marks and thousands separators were read.
func (r *reader) decimals(commas int, grouped, thousand []string) []Warning {
	var list []Warning
	if commas > 0 {
		list = append(list, Warning{Code: "decimal-comma", Level: "note",
			Message: fmt.Sprintf("Decimal commas converted in %s (‘12,5’ → 12.5).", phrase.Count(commas, "column"))})
	}
	mark, group := ".", r.d.Thousands
	if r.d.Decimal == "." {
		mark = ","
	}
	asked := r.opt.Dialect.Thousands != ""
	switch {
	case asked:
	case len(grouped) > 0 && r.ambiguous:
		list = append(list, r.askThousands(group, grouped, "Read as 1234."))
	case len(grouped) > 0 && r.grouped:
		list = append(list, Warning{Code: "thousands", Level: "note",
			Message: fmt.Sprintf("‘1%s234’ read as 1234 in %s.", group, phrase.Count(len(grouped), "column"))})
	case len(thousand) > 0:
		list = append(list, r.askThousands(mark, thousand, "Read as missing."))
	}
	return list
}

// askThousands asks what 1,234 means.
func (r *reader) askThousands(group string, columns []string, now string) Warning {
	w := Warning{Code: "thousands", Level: "ask",
		Message: fmt.Sprintf("‘1%s234’ in %s: 1234 or 1.234? %s", group, phrase.List(columns), now),
		Choices: []Choice{{Label: "Read as 1234", Dialect: &Dialect{Thousands: group}}}}
	other := Dialect{Thousands: "none"} // the decimal mark then changes for the columns concerned
	if r.markOpen {
		other.Decimal = group
	}
	w.Choices = append(w.Choices, Choice{Label: "Read as 1.234", Dialect: &other})
	return w
}

package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/external"
	"taper/internal/engine/prep"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// table1 describes the predictors by outcome.
func (p Printed) table1() doc.Table {
	rows, events := p.c.cohort()
	total := p.released[cohort].Total
	t := doc.Table{
		Label: "Table 1: predictors by outcome", Class: "tbl-one",
		Columns: []doc.Column{
			{Label: "Table 1", Unit: "median (quartiles); count (%)"},
			{Label: format.Event(p.r.Outcome, p.r.Negative), Unit: "n = " + total.Others.CountText(), Number: true},
			{Label: format.Event(p.r.Outcome, p.r.Positive), Unit: "n = " + total.Events.CountText(), Number: true},
			{Label: "Missing", Unit: "(without · with the event)", Number: true},
		},
	}
	for _, s := range p.c.predictors() {
		if s.Kind == prep.Number {
			row := p.Small.numberRow(s, format.Decimals(s.Quartiles...))
			row.Cells[len(row.Cells)-1] = p.Small.missingCell(s, rows, events)
			t.Rows = append(t.Rows, row)
		} else {
			t.Rows = append(t.Rows, p.Small.levelRows(s, rows, events)...)
		}
	}
	return t
}

// numberRow describes a numeric predictor by class.
func (c SmallCounts) numberRow(s external.Shift, decimals int) doc.Row {
	return doc.Row{Cells: slices.Concat([]doc.Cell{{Value: s.Name}}, quartileCells(s.Quartiles, s.N, decimals),
		[]doc.Cell{{Value: c.span(s.Missing).CountText()}})}
}

// quartileCells are the medians and quartiles by class; rows are the class sizes. Small classes have none.
func quartileCells(quartiles []*[3]float64, rows []int, decimals int) (cells []doc.Cell) {
	for k, q := range quartiles {
		cell := doc.Cell{}
		if q != nil && rows[k] >= leastRows {
			cell = doc.Cell{Value: viz.Number(q[1], decimals),
				Note: "(" + viz.Range(viz.Number(q[0], decimals), viz.Number(q[2], decimals)) + ")"}
		}
		cells = append(cells, cell)
	}
	return cells
}

// missingCell counts the missing values of a numeric predictor by outcome: where values are missing for events
// only, a model learns who was examined. The rows with a value are the remaining rows of the cohort, so both are
// masked as one table.
func (c SmallCounts) missingCell(s external.Shift, rows, events int) doc.Cell {
	if s.MissingIn == nil {
		return doc.Cell{Value: c.span(s.Missing).CountText()}
	}
	m := c.release([]mask.Split{{N: s.Missing, Events: s.MissingIn[1]},
		{N: rows - s.Missing, Events: events - s.MissingIn[1]}})
	return byOutcome(m.Rows[0])
}

// byOutcome is a count, with the counts of non-events and events.
func byOutcome(r mask.Row) doc.Cell { return countIn(r.N, r.Others, r.Events) }

// countIn is a total with the count of each class.
func countIn(total mask.Span, each ...mask.Span) doc.Cell {
	texts := make([]string, len(each))
	for k, n := range each {
		texts[k] = n.CountText()
	}
	c := doc.Cell{Value: total.CountText()}
	if total.High > 0 {
		c.Note = format.InClasses(texts)
	}
	return c
}

// levelRows prints the counts of one category. Its levels, and the rows with a missing value, are masked as one
// table. A class with a masked count shows no shares: if 167 rows are 99.4 % of the class, exactly one row remains.
func (c SmallCounts) levelRows(s external.Shift, rows, events int) []doc.Row {
	m := c.levels(s, rows, events)
	others, positive := true, true
	for _, r := range m.Rows {
		others, positive = others && r.Others.Shown(), positive && r.Events.Shown()
	}
	out := []doc.Row{{Cells: []doc.Cell{{Value: s.Name}, {Value: ""}, {Value: ""}, byOutcome(m.Rows[len(s.Levels)])}}}
	of := func(l external.ShiftLevel, k int) float64 { return float64(l.N[k]) / float64(max(s.N[k], 1)) }
	for i, l := range s.Levels {
		out = append(out, doc.Row{Cells: []doc.Cell{
			{Value: l.Level, Class: "level"}, share(m.Rows[i].Others, of(l, 0), others),
			share(m.Rows[i].Events, of(l, 1), positive), {Value: ""},
		}})
	}
	return out
}

// levels are the levels of one category, then the rows with a missing value.
func (c SmallCounts) levels(s external.Shift, rows, events int) mask.Table {
	rest := mask.Split{N: rows, Events: events}
	var splits []mask.Split
	for _, l := range s.Levels {
		one := mask.Split{N: l.N[0] + l.N[1], Events: l.N[1]}
		rest.N, rest.Events = rest.N-one.N, rest.Events-one.Events
		splits = append(splits, one)
	}
	return c.release(append(splits, rest))
}

// share prints a count, with its share of the class where no count of the class is masked.
func share(n mask.Span, of float64, whole bool) doc.Cell {
	if !whole {
		return doc.Cell{Value: n.CountText()}
	}
	return doc.Cell{Value: n.CountText(), Note: "(" + viz.Percent(of, 1) + ")"}
}

// outcomeTable counts the rows of each class.
func (p Printed) outcomeTable() doc.Table {
	t := doc.Table{Label: "Classes of " + p.r.Outcome, Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Class"}, {Label: "Rows", Number: true}}}
	masked := p.classTable()
	if p.split() {
		t.Columns = []doc.Column{{Label: "Class"}, {Label: "Trained on", Number: true}, {Label: "Held out", Number: true}}
	}
	for k, c := range p.r.Classes.Rows {
		r, cells := masked.Rows[k], []string{c.Level}
		if p.split() {
			cells = append(cells, r.Others.CountText(), r.Events.CountText())
		} else {
			cells = append(cells, r.N.CountText())
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	if masked.Hidden() {
		t.Note = "Counts of 1 to 9 are masked, and what would disclose them."
	}
	return t
}

// outcomeNote names the outcome and its classes.
func (p Printed) outcomeNote() string {
	return "Outcome: " + p.r.Outcome + ", " + format.Task(p.run.Spec) + "."
}

// classTable1 describes the predictors by class, as external validations do. In a split it counts training and test
// rows together, which would reveal one of them that is masked.
func (p Printed) classTable1() doc.Table {
	masked, c := p.classTable(), p.r.Classes
	t := doc.Table{Label: "Table 1: predictors by class", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Table 1", Unit: "median (quartiles); % of the class"}}}
	if p.split() && masked.Hidden() || len(c.Rows) == 0 {
		return t
	}
	for k, r := range c.Rows {
		t.Columns = append(t.Columns, doc.Column{Label: r.Level, Unit: "n = " + masked.Rows[k].N.CountText(),
			Number: true})
	}
	if len(c.Rows) > 2 {
		t.Class += " stacks stacks-long"
	}
	missing := doc.Column{Label: "Missing", Number: true}
	split := !masked.Hidden() // the counts of a class are lower bounds of its size
	if split {
		missing.Unit = "(" + format.OfColumns + ")"
	}
	t.Columns = append(t.Columns, missing)
	for _, s := range p.c.predictors() {
		var rows []doc.Row
		if s.Kind == prep.Number {
			rows = []doc.Row{p.Small.numberRow(s, format.Decimals(s.Quartiles...))}
		} else {
			rows = p.Small.classLevels(s, p.c.totals())
			for i, r := range rows {
				rows[i].Cells = r.Cells[:len(r.Cells)-1] // no row is outside the range of its own training data
			}
		}
		if first := rows[0].Cells; split {
			first[len(first)-1] = p.Small.missingInClasses(s, p.c.totals(), first[len(first)-1])
		}
		t.Rows = append(t.Rows, rows...)
	}
	return t
}

// missingInClasses counts the missing values of a predictor in each of several classes; totals are the class sizes.
// The warnings give the sum over classes, so the classes are masked as one table. Where few rows of a class have a
// value, or a level masks the rows with a missing value, the cell is left as it was.
func (c SmallCounts) missingInClasses(s external.Shift, totals []int, sum doc.Cell) doc.Cell {
	var splits []mask.Split
	for k, n := range totals {
		switch {
		case s.Kind != prep.Number:
			if r := c.shares(s, k, n)[len(s.Levels)]; !r.Shown() {
				return sum
			}
			splits = append(splits, mask.Split{N: n - s.N[k]})
		case s.MissingIn == nil || !c.span(n-s.MissingIn[k]).Shown():
			return sum
		default:
			splits = append(splits, mask.Split{N: s.MissingIn[k]})
		}
	}
	m, each := c.release(splits), make([]mask.Span, len(splits))
	for k, r := range m.Rows {
		each[k] = r.N
	}
	return countIn(m.Total.N, each...)
}

// totals are the rows of each class that Table 1 describes; for a binary outcome non-events come first.
func (c Clinical) totals() (all []int) {
	if c.Result.Classes == nil {
		rows, events := c.cohort()
		return []int{rows - events, events}
	}
	for _, r := range c.classRows() {
		all = append(all, r.N)
	}
	return all
}

// predictors converts Table 1 to the form in which validations describe predictors, one entry per predictor.
func (c Clinical) predictors() (all []external.Shift) {
	totals := c.totals()
	for _, r := range c.Result.ByClass() {
		if r.Level == "" {
			s := external.Shift{Name: r.Name, Kind: prep.Number, N: totals, Missing: r.Missing, MissingIn: r.MissingIn}
			for k := range r.Classes {
				s.Quartiles = append(s.Quartiles, &r.Classes[k])
			}
			all = append(all, s)
			continue
		}
		if n := len(all); n == 0 || all[n-1].Name != r.Name || all[n-1].Kind == prep.Number {
			all = append(all, external.Shift{Name: r.Name, Kind: prep.Category, N: make([]int, len(totals)), Missing: r.Missing})
		}
		s, l := &all[len(all)-1], external.ShiftLevel{Level: r.Level}
		for k, v := range r.Classes {
			l.N = append(l.N, int(v[0]))
			s.N[k] += int(v[0])
		}
		s.Levels = append(s.Levels, l)
	}
	return all
}

// classLevels are the levels of a category by class: shares of the class, with missing values as one of them, each
// class masked as one table. totals are the class sizes.
func (c SmallCounts) classLevels(s external.Shift, totals []int) []doc.Row {
	var spans [][]mask.Span
	for k := range s.N {
		spans = append(spans, c.shares(s, k, totals[k]))
	}
	missing, outside := mask.Span{}, mask.Span{}
	for k := range spans {
		missing = plus(missing, spans[k][len(s.Levels)])
		for j, l := range s.Levels {
			if l.Level == external.Unseen {
				outside = plus(outside, spans[k][j])
			}
		}
	}
	head := []doc.Cell{{Value: s.Name}}
	for range s.N {
		head = append(head, doc.Cell{Value: ""})
	}
	out := []doc.Row{{Cells: append(head, doc.Cell{Value: missing.CountText()},
		doc.Cell{Value: outside.CountText()})}}
	for j, l := range s.Levels {
		cells := []doc.Cell{{Value: l.Level, Class: "level"}}
		for k := range s.N {
			cells = append(cells, doc.Cell{Value: c.shareText(spans[k][j], totals[k])})
		}
		out = append(out, doc.Row{Cells: append(cells, doc.Cell{Value: ""}, doc.Cell{Value: ""})})
	}
	return out
}

// shares are the counts of the levels in class k, then of the missing values.
func (c SmallCounts) shares(s external.Shift, k, total int) (spans []mask.Span) {
	var splits []mask.Split
	for _, l := range s.Levels {
		splits = append(splits, mask.Split{N: l.N[k]})
	}
	for _, r := range c.release(append(splits, mask.Split{N: total - s.N[k]})).Rows {
		spans = append(spans, r.N)
	}
	return spans
}

package main

import (
	"strings"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/viz"
	"taper/web/templates"
)

// predictors sets the predictors of the new rows beside those of development, by
// class.
func (x external) predictors() templates.Table {
	names := []string{x.m.Negative, x.m.Positive}
	t := templates.Table{Label: "Predictors in development and here", Class: "tbl-tight", Columns: []templates.Column{{Label: "Predictor", Unit: "median (quartiles); count (%)"}}}
	if x.e.Classes != nil {
		names = x.m.Levels
	}
	was := map[string][]engine.Table1Row{}
	for _, r := range x.run.Result.Table1 {
		was[r.Name] = append(was[r.Name], r)
	}
	beside := x.beside()
	for k, name := range names {
		if beside {
			t.Columns = append(t.Columns, templates.Column{Label: name, Unit: "development", Num: true})
		}
		t.Columns = append(t.Columns, templates.Column{Label: name, Unit: "here, n = " + x.classCount(k), Num: true})
	}
	if beside {
		t.Columns = append(t.Columns, templates.Column{Label: "Missing", Unit: "development", Num: true})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Missing", Unit: "here", Num: true}, templates.Column{Label: "Outside", Unit: "here", Num: true})
	for _, s := range x.e.Predictors {
		t.Rows = append(t.Rows, x.shiftRows(s, was[s.Name])...)
	}
	t.Note = "Outside: judged rows beyond the range, or of a level, that training saw. Counts of 1 to 9 are masked, and what would tell them."
	return t
}

// classCount is the number of rows of a class, as print may show it.
func (x external) classCount(k int) string {
	if c := x.e.Classes; c != nil {
		n := c.Abstained[k]
		for _, v := range c.Confusion[k] {
			n += v
		}
		return hideSmall(n).CountText()
	}
	return []viz.Span{x.p.strata.Total.Others, x.p.strata.Total.Events}[k].CountText()
}

// shiftRows are the lines of one predictor; was is nil where development has
// none to show.
func (x external) shiftRows(s engine.Shift, was []engine.Table1Row) []templates.Row {
	if s.Kind == prep.Number {
		return []templates.Row{x.shiftNumber(s, was)}
	}
	if x.e.Classes != nil {
		return x.shiftClasses(s)
	}
	return x.shiftLevels(s, was)
}

// beside reports whether development's predictors may stand there too.
func (x external) beside() bool {
	return x.e.Classes == nil && len(x.run.Result.Table1) > 0 && x.dev.tellsNothing()
}

func (x external) shiftNumber(s engine.Shift, was []engine.Table1Row) templates.Row {
	var all []float64
	for _, q := range s.Quartiles {
		if q != nil {
			all = append(all, q[:]...)
		}
	}
	dev := [2][3]float64{}
	if len(was) == 1 {
		dev = [2][3]float64{was[0].Negative, was[0].Positive}
		all = append(append(all, dev[0][:]...), dev[1][:]...)
	}
	decimals := digitsFor(all)
	quartiles := func(q [3]float64) templates.Cell {
		return templates.Cell{Text: viz.Number(q[1], decimals), CI: "(" + viz.Range(viz.Number(q[0], decimals), viz.Number(q[2], decimals)) + ")"}
	}
	cells := []templates.Cell{{Text: s.Name}}
	rows, events := x.dev.developed()
	for k, q := range s.Quartiles {
		if x.beside() {
			cell := templates.Cell{Text: viz.None}
			if n := []int{rows - events, events}[k]; len(was) == 1 && n >= leastRows {
				cell = quartiles(dev[k])
			}
			cells = append(cells, cell)
		}
		if q == nil || s.N[k] < leastRows {
			cells = append(cells, templates.Cell{Text: viz.None})
		} else {
			cells = append(cells, quartiles(*q))
		}
	}
	if x.beside() {
		missing := viz.None
		if len(was) == 1 {
			missing = hideSmall(was[0].Missing).CountText()
		}
		cells = append(cells, templates.Cell{Text: missing})
	}
	return templates.Row{Cells: append(cells, templates.Cell{Text: hideSmall(s.Missing).CountText()}, templates.Cell{Text: hideSmall(s.Outside).CountText()})}
}

// developed counts the rows of the run's two classes.
func (p printed) developed() (rows, events int) {
	if p.r == nil {
		return 0, 0
	}
	return p.cohort()
}

// digitsFor gives the largest number three digits or so, whole numbers none.
func digitsFor(all []float64) int {
	most := 0
	for i := 0; i+2 < len(all); i += 3 {
		most = max(most, decimalsFor(engine.Table1Row{Negative: [3]float64(all[i : i+3])}))
	}
	return most
}

// shiftLevels are the levels of a category, those of development and those here
// each masked as one table.
func (x external) shiftLevels(s engine.Shift, was []engine.Table1Row) []templates.Row {
	here := x.asTable1(s)
	order := []string{}
	at := map[string][2]int{} // line of the level in development and here, from 1
	for i, r := range was {
		order, at[r.Level] = append(order, r.Level), [2]int{i + 1, 0}
	}
	for i, r := range here {
		lines, known := at[r.Level]
		if !known {
			order = append(order, r.Level)
		}
		lines[1] = i + 1
		at[r.Level] = lines
	}
	rows, events := x.dev.developed()
	then, now := linesOf(was, rows, events), linesOf(here, x.e.Rows, x.e.Events)
	cellsOf := func(lines []templates.Row, i, k int) templates.Cell {
		if i == 0 || i >= len(lines) {
			return templates.Cell{Text: viz.None}
		}
		return lines[i].Cells[k]
	}
	head := make([]templates.Cell, 3, 7)
	if x.beside() {
		head = head[:5]
	}
	head[0].Text = s.Name
	out := []templates.Row{}
	if x.beside() {
		missing := templates.Cell{Text: viz.None}
		if len(then) > 0 {
			missing = then[0].Cells[3]
		}
		head = append(head, missing)
	}
	missing := templates.Cell{Text: hideSmall(s.Missing).CountText()}
	if len(now) > 0 {
		missing = now[0].Cells[3]
	}
	out = append(out, templates.Row{Cells: append(head, missing, templates.Cell{Text: unseenCount(here, x.e.Rows, x.e.Events)})})
	for _, level := range order {
		cells := []templates.Cell{{Text: level, Class: "level"}}
		for k := range 2 {
			if x.beside() {
				cells = append(cells, cellsOf(then, at[level][0], k+1))
			}
			cells = append(cells, cellsOf(now, at[level][1], k+1))
		}
		if x.beside() {
			cells = append(cells, templates.Cell{})
		}
		out = append(out, templates.Row{Cells: append(cells, templates.Cell{}, templates.Cell{})})
	}
	return out
}

// unseenCount counts the rows of levels that training never saw, as the masked
// table of the levels may show it.
func unseenCount(levels []engine.Table1Row, rows, events int) string {
	at, rest := -1, viz.Split{N: rows, Events: events}
	var splits []viz.Split
	for i, l := range levels {
		s := viz.Split{N: int(l.Negative[0] + l.Positive[0]), Events: int(l.Positive[0])}
		rest.N, rest.Events = rest.N-s.N, rest.Events-s.Events
		splits = append(splits, s)
		if l.Level == engine.Unseen {
			at = i
		}
	}
	if at < 0 {
		return "0"
	}
	return viz.Mask(append(splits, rest)).Rows[at].N.CountText()
}

// linesOf masks the levels of one predictor; the first line is that of the
// predictor itself.
func linesOf(levels []engine.Table1Row, rows, events int) []templates.Row {
	if len(levels) == 0 {
		return nil
	}
	return levelRows(levels, rows, events)
}

// asTable1 puts the levels into the form of Table 1.
func (x external) asTable1(s engine.Shift) (all []engine.Table1Row) {
	for _, l := range s.Levels {
		r := engine.Table1Row{Name: s.Name, Level: l.Level, Missing: s.Missing}
		for k, to := range []*[3]float64{&r.Negative, &r.Positive} {
			to[0], to[1] = float64(l.N[k]), float64(l.N[k])/float64(max(s.N[k], 1))
		}
		all = append(all, r)
	}
	return all
}

// shiftClasses are the levels of a category by several classes, in whole
// percentages; a share of 1 to 9 rows is not printed.
func (x external) shiftClasses(s engine.Shift) []templates.Row {
	head := []templates.Cell{{Text: s.Name}}
	for range s.N {
		head = append(head, templates.Cell{})
	}
	out := []templates.Row{{Cells: append(head, templates.Cell{Text: hideSmall(s.Missing).CountText()}, templates.Cell{Text: hideSmall(s.Outside).CountText()})}}
	for _, l := range s.Levels {
		cells := []templates.Cell{{Text: l.Level, Class: "level"}}
		for k, n := range l.N {
			cells = append(cells, templates.Cell{Text: shareWords(n, s.N[k])})
		}
		out = append(out, templates.Row{Cells: append(cells, templates.Cell{}, templates.Cell{})})
	}
	return out
}

// shareWords is a whole percentage, "few" for 1 to 9 rows.
func shareWords(n, of int) string {
	switch {
	case n == 0:
		return "0"
	case n < leastRows:
		return "few"
	}
	return strings.TrimSpace(viz.Percent(float64(n)/float64(of), 0)) + wording.Pc
}

package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/viz"
)

// predictors sets the predictors of the new rows beside those of development, by
// class.
func (x External) predictors() doc.Table {
	names := []string{x.m.Negative.String(), x.m.Positive.String()}
	t := doc.Table{Label: "Predictors in development and here", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Predictor", Unit: "median (quartiles); count (%)"}}}
	if x.e.Classes != nil {
		names = x.m.Levels
		t.Columns[0].Unit = "median (quartiles); % of the class"
	}
	was := map[string][]engine.Table1Row{}
	for _, r := range x.run.Result.Table1 {
		was[r.Name] = append(was[r.Name], r)
	}
	beside := x.beside()
	for k, name := range names {
		if beside {
			t.Columns = append(t.Columns, doc.Column{Label: name, Unit: "development", Number: true})
		}
		t.Columns = append(t.Columns, doc.Column{Label: name, Unit: "here, n = " + x.classCount(k), Number: true})
	}
	if beside {
		t.Columns = append(t.Columns, doc.Column{Label: "Missing", Unit: "development", Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Missing", Unit: "here", Number: true},
		doc.Column{Label: "Outside", Unit: "here", Number: true})
	for _, s := range x.e.Predictors {
		t.Rows = append(t.Rows, x.shiftRows(s, was[s.Name])...)
	}
	t.Note = "Outside: judged rows beyond the range, or of a level, that training saw. Counts of 1 to 9 are masked, " +
		"and what would tell them."
	return t
}

// classCount is the number of rows of a class, as print may show it.
func (x External) classCount(k int) string {
	if x.e.Classes != nil {
		return hideSmall(x.classRows(k)).CountText()
	}
	return []mask.Span{x.p.strata.Total.Others, x.p.strata.Total.Events}[k].CountText()
}

// classRows is the number of rows of one of several classes.
func (x External) classRows(k int) int {
	n := x.e.Classes.Abstained[k]
	for _, v := range x.e.Classes.Confusion[k] {
		n += v
	}
	return n
}

// shiftRows are the lines of one predictor; was is nil where development has
// none to show.
func (x External) shiftRows(s engine.Shift, was []engine.Table1Row) []doc.Row {
	switch several := x.e.Classes != nil; {
	case several && s.Kind == prep.Number:
		return []doc.Row{classNumber(s)}
	case several:
		totals := make([]int, len(s.N))
		for k := range totals {
			totals[k] = x.classRows(k)
		}
		return classLevels(s, totals)
	case s.Kind == prep.Number:
		return []doc.Row{x.shiftNumber(s, was)}
	}
	return x.shiftLevels(s, was)
}

// beside reports whether development's predictors may stand there too.
func (x External) beside() bool {
	return x.e.Classes == nil && len(x.run.Result.Table1) > 0 && x.dev.tellsNothing()
}

func (x External) shiftNumber(s engine.Shift, was []engine.Table1Row) doc.Row {
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
	rows, events := x.dev.developed()
	var then, now [2]doc.Cell
	for k, q := range s.Quartiles {
		then[k], now[k] = doc.Cell{}, doc.Cell{}
		if n := [2]int{rows - events, events}[k]; len(was) == 1 && n >= leastRows {
			then[k] = quartilesCell(dev[k], decimals)
		}
		if q != nil && s.N[k] >= leastRows {
			now[k] = quartilesCell(*q, decimals)
		}
	}
	gone := doc.Cell{}
	if len(was) == 1 {
		gone.Value = hideSmall(was[0].Missing)
	}
	return x.shiftLine(doc.Cell{Value: s.Name}, then, now, gone,
		doc.Cell{Value: hideSmall(s.Missing).CountText()}, doc.Cell{Value: hideSmall(s.Outside).CountText()})
}

// developed counts the rows of the run's two classes.
func (p Printed) developed() (rows, events int) {
	if p.r == nil {
		return 0, 0
	}
	return p.c.cohort()
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
func (x External) shiftLevels(s engine.Shift, was []engine.Table1Row) []doc.Row {
	here := asTable1(s)
	rows, events := x.dev.developed()
	then, now := linesOf(was, rows, events), linesOf(here, x.e.Rows, x.e.Events)
	out := []doc.Row{x.shiftLine(doc.Cell{Value: s.Name}, [2]doc.Cell{{Value: ""}, {Value: ""}},
		[2]doc.Cell{{Value: ""}, {Value: ""}},
		lineOf(then, 0, 3), lineOf(now, 0, 3), doc.Cell{Value: unseenCount(here, x.e.Rows, x.e.Events)})}
	for _, l := range mergedLevels(was, here) {
		at := func(all []engine.Table1Row) int {
			return 1 + slices.IndexFunc(all, func(r engine.Table1Row) bool { return r.Level == l })
		}
		i, j := at(was), at(here)
		out = append(out, x.shiftLine(doc.Cell{Value: l, Class: "level"},
			[2]doc.Cell{levelOf(then, i, 1), levelOf(then, i, 2)},
			[2]doc.Cell{levelOf(now, j, 1), levelOf(now, j, 2)}, doc.Cell{Value: ""}, doc.Cell{Value: ""}, doc.Cell{Value: ""}))
	}
	return out
}

// shiftLine is a line of the table: by class development and here in turn, then
// what is missing in either, and what is outside.
func (x External) shiftLine(name doc.Cell, then, now [2]doc.Cell, gone, missing,
	outside doc.Cell) doc.Row {
	if !x.beside() {
		return doc.Row{Cells: []doc.Cell{name, now[0], now[1], missing, outside}}
	}
	return doc.Row{Cells: []doc.Cell{name, then[0], now[0], then[1], now[1], gone, missing, outside}}
}

// mergedLevels lists the levels of development, then those that are here alone.
func mergedLevels(was, here []engine.Table1Row) (all []string) {
	for _, r := range slices.Concat(was, here) {
		if !slices.Contains(all, r.Level) {
			all = append(all, r.Level)
		}
	}
	return all
}

// lineOf is a cell of a masked table, "–" where there is no such line.
func lineOf(lines []doc.Row, i, k int) doc.Cell {
	if i >= len(lines) {
		return doc.Cell{}
	}
	return lines[i].Cells[k]
}

// levelOf is the same of a level, whose lines count from 1; 0 is none.
func levelOf(lines []doc.Row, i, k int) doc.Cell {
	if i == 0 {
		return doc.Cell{}
	}
	return lineOf(lines, i, k)
}

// unseenCount counts the rows of levels that training never saw, as the masked
// table of the levels may show it.
func unseenCount(levels []engine.Table1Row, rows, events int) string {
	at := slices.IndexFunc(levels, func(l engine.Table1Row) bool { return l.Level == engine.Unseen })
	if at < 0 {
		return "0"
	}
	return maskedLevels(levels, rows, events).Rows[at].N.CountText()
}

// linesOf masks the levels of one predictor; the first line is that of the
// predictor itself.
func linesOf(levels []engine.Table1Row, rows, events int) []doc.Row {
	if len(levels) == 0 {
		return nil
	}
	return levelRows(levels, rows, events)
}

// asTable1 puts the levels into the form of Table 1.
func asTable1(s engine.Shift) (all []engine.Table1Row) {
	for _, l := range s.Levels {
		r := engine.Table1Row{Name: s.Name, Level: l.Level, Missing: s.Missing}
		for k, to := range []*[3]float64{&r.Negative, &r.Positive} {
			to[0], to[1] = float64(l.N[k]), float64(l.N[k])/float64(max(s.N[k], 1))
		}
		all = append(all, r)
	}
	return all
}

// classNumber is a number by several classes.
func classNumber(s engine.Shift) doc.Row {
	var all []float64
	for _, q := range s.Quartiles {
		if q != nil {
			all = append(all, q[:]...)
		}
	}
	decimals := digitsFor(all)
	cells := []doc.Cell{{Value: s.Name}}
	for k, q := range s.Quartiles {
		cell := doc.Cell{}
		if q != nil && s.N[k] >= leastRows {
			cell = quartilesCell(*q, decimals)
		}
		cells = append(cells, cell)
	}
	return doc.Row{Cells: append(cells, doc.Cell{Value: hideSmall(s.Missing).CountText()},
		doc.Cell{Value: hideSmall(s.Outside).CountText()})}
}

func quartilesCell(q [3]float64, decimals int) doc.Cell {
	return doc.Cell{Value: viz.Number(q[1], decimals), Note: "(" +
		viz.Range(viz.Number(q[0], decimals), viz.Number(q[2], decimals)) + ")"}
}

// classLevels are the levels of a category by several classes of so many rows:
// shares of the class, those without a value among them, each class masked as one
// table.
func classLevels(s engine.Shift, totals []int) []doc.Row {
	var spans [][]mask.Span
	for k := range s.N {
		spans = append(spans, maskedShares(s, k, totals[k]))
	}
	missing, outside := mask.Span{}, mask.Span{}
	for k := range spans {
		missing = plus(missing, spans[k][len(s.Levels)])
		for j, l := range s.Levels {
			if l.Level == engine.Unseen {
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
			cells = append(cells, doc.Cell{Value: shareText(spans[k][j], totals[k])})
		}
		out = append(out, doc.Row{Cells: append(cells, doc.Cell{Value: ""}, doc.Cell{Value: ""})})
	}
	return out
}

// maskedShares are the levels of class k, then those without a value.
func maskedShares(s engine.Shift, k, total int) (spans []mask.Span) {
	var splits []mask.Split
	for _, l := range s.Levels {
		splits = append(splits, mask.Split{N: l.N[k]})
	}
	for _, r := range mask.Hide(append(splits, mask.Split{N: total - s.N[k]})).Rows {
		spans = append(spans, r.N)
	}
	return spans
}

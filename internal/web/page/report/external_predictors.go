package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/engine/external"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/web/format"
)

// predictors compares the predictors of the new rows with those of development, by class.
func (x External) predictors() doc.Table {
	// A level alone may look like one of a predictor.
	names := []string{format.Event(x.m.Outcome, x.m.Negative), format.Event(x.m.Outcome, x.m.Positive)}
	t := doc.Table{Label: "Predictors in development and here", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Predictor", Unit: "median (quartiles); count (%)"}}}
	was := map[string]external.Shift{}
	if x.e.Classes != nil {
		names = x.m.Levels
		t.Columns[0].Unit = "median (quartiles); % of the class"
	} else {
		for _, s := range x.dev.c.predictors() {
			was[s.Name] = s
		}
	}
	beside, counts := x.beside(), x.classCounts()
	for k, name := range names {
		if beside {
			t.Columns = append(t.Columns, doc.Column{Label: name, Unit: "development", Number: true})
		}
		t.Columns = append(t.Columns, doc.Column{Label: name, Unit: "here, n = " + counts[k], Number: true})
	}
	if beside {
		t.Columns = append(t.Columns, doc.Column{Label: "Missing", Unit: "development", Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Missing", Unit: "here", Number: true},
		doc.Column{Label: "Outside", Unit: "here", Number: true})
	for _, s := range x.e.Predictors {
		t.Rows = append(t.Rows, x.shiftRows(s, was[s.Name])...)
	}
	t.Note = "Outside: evaluated rows beyond the training range, or with a level not in training."
	if x.small == MaskSmall {
		t.Note += " Counts of 1 to 9 are masked, and what would disclose them."
	} else {
		t.Note += " Quartiles are of " + phrase.Int(leastRows) + " rows or more."
	}
	return t
}

// shiftRows are the lines of one predictor; was is empty where development has none to show.
func (x External) shiftRows(s, was external.Shift) []doc.Row {
	switch several := x.e.Classes != nil; {
	case several && s.Kind == prep.Number:
		row := x.small.numberRow(s, format.Decimals(s.Quartiles...))
		row.Cells = append(row.Cells, doc.Cell{Value: x.small.span(s.Outside).CountText()})
		return []doc.Row{row}
	case several:
		totals := make([]int, len(s.N))
		for k := range totals {
			totals[k] = x.classRows(k)
		}
		return x.small.classLevels(s, totals)
	case s.Kind == prep.Number:
		return []doc.Row{x.shiftNumber(s, was)}
	}
	return x.shiftLevels(s, was)
}

func (x External) shiftNumber(s, was external.Shift) doc.Row {
	dev, gone, before := make([]*[3]float64, 2), doc.Cell{}, []int{0, 0}
	if was.Kind == prep.Number {
		dev, before, gone.Value = was.Quartiles, was.N, x.small.span(was.Missing)
	}
	decimals := format.Decimals(slices.Concat(s.Quartiles, dev)...)
	return x.shiftLine(doc.Cell{Value: s.Name}, quartileCells(dev, before, decimals),
		quartileCells(s.Quartiles, s.N, decimals), gone,
		doc.Cell{Value: x.small.span(s.Missing).CountText()}, doc.Cell{Value: x.small.span(s.Outside).CountText()})
}

// shiftLevels are the levels of a category. Those of development and those of this file are each masked as one
// table.
func (x External) shiftLevels(s, was external.Shift) []doc.Row {
	var then, now []doc.Row
	if len(was.Levels) > 0 {
		rows, events := x.dev.c.cohort()
		then = x.small.levelRows(was, rows, events)
	}
	if len(s.Levels) > 0 {
		now = x.small.levelRows(s, x.e.Rows, x.e.Events)
	}
	out := []doc.Row{x.shiftLine(doc.Cell{Value: s.Name}, []doc.Cell{{Value: ""}, {Value: ""}},
		[]doc.Cell{{Value: ""}, {Value: ""}},
		lineOf(then, 0, 3), lineOf(now, 0, 3), doc.Cell{Value: x.unseenCount(s)})}
	for _, l := range mergedLevels(was, s) {
		at := func(of external.Shift) int {
			return 1 + slices.IndexFunc(of.Levels, func(r external.ShiftLevel) bool { return r.Level == l })
		}
		i, j := at(was), at(s)
		out = append(out, x.shiftLine(doc.Cell{Value: l, Class: "level"},
			[]doc.Cell{levelOf(then, i, 1), levelOf(then, i, 2)},
			[]doc.Cell{levelOf(now, j, 1), levelOf(now, j, 2)}, doc.Cell{Value: ""}, doc.Cell{Value: ""}, doc.Cell{Value: ""}))
	}
	return out
}

// shiftLine is a line of the table: for each class development and this file, then missing values of both, then the
// rows outside the training range.
func (x External) shiftLine(name doc.Cell, then, now []doc.Cell, gone, missing,
	outside doc.Cell) doc.Row {
	if !x.beside() {
		return doc.Row{Cells: []doc.Cell{name, now[0], now[1], missing, outside}}
	}
	return doc.Row{Cells: []doc.Cell{name, then[0], now[0], then[1], now[1], gone, missing, outside}}
}

// mergedLevels lists the levels of development, then those that occur only in this file.
func mergedLevels(was, here external.Shift) (all []string) {
	for _, r := range slices.Concat(was.Levels, here.Levels) {
		if !slices.Contains(all, r.Level) {
			all = append(all, r.Level)
		}
	}
	return all
}

// unseenCount counts the rows with levels that training did not contain, as the masked table of the levels may show
// it.
func (x External) unseenCount(s external.Shift) string {
	at := slices.IndexFunc(s.Levels, func(l external.ShiftLevel) bool { return l.Level == external.Unseen })
	if at < 0 {
		return "0"
	}
	return x.small.levels(s, x.e.Rows, x.e.Events).Rows[at].N.CountText()
}

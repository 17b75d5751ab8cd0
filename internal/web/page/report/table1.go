package report

import (
	"math"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/viz"
)

// tellsNothing reports whether Table 1 may stand beside the strata. In a split
// it counts the rows trained on and those held out together: when one part is
// masked, the other and the sum would give it away.
func (p Printed) tellsNothing() bool {
	return !p.split() || p.trained().Events.Shown() && p.strata.Total.Events.Shown()
}

// table1 describes the predictors by outcome.
func (p Printed) table1() doc.Table {
	rows, events := p.c.cohort()
	total := p.released[cohort].Total
	t := doc.Table{
		Label: "Table 1: predictors by outcome",
		Columns: []doc.Column{
			{Label: "Table 1", Unit: "median (quartiles); count (%)"},
			{Label: p.r.Negative.String(), Unit: "n = " + total.Others.CountText(), Number: true},
			{Label: p.r.Positive.String(), Unit: "n = " + total.Events.CountText(), Number: true},
			{Label: "Missing", Number: true},
		},
	}
	for i := 0; i < len(p.r.Table1); {
		j := i + 1
		for j < len(p.r.Table1) && p.r.Table1[j].Name == p.r.Table1[i].Name && p.r.Table1[j].Level != "" {
			j++
		}
		if p.r.Table1[i].Level == "" {
			t.Rows = append(t.Rows, numberRow(p.r.Table1[i], rows-events, events))
		} else {
			t.Rows = append(t.Rows, levelRows(p.r.Table1[i:j], rows, events)...)
		}
		i = j
	}
	return t
}

// numberRow prints median and quartiles, of groups that are not tiny.
func numberRow(row engine.Table1Row, others, events int) doc.Row {
	decimals := decimalsFor(row)
	cell := func(q [3]float64, n int) doc.Cell {
		if n < leastRows {
			return doc.Cell{}
		}
		return doc.Cell{
			Value: viz.Number(q[1], decimals),
			Note:  "(" + viz.Range(viz.Number(q[0], decimals), viz.Number(q[2], decimals)) + ")",
		}
	}
	return doc.Row{Cells: []doc.Cell{
		{Value: row.Name}, cell(row.Negative, others), cell(row.Positive, events),
		{Value: hideSmall(row.Missing).CountText()},
	}}
}

// decimalsFor gives the largest number of a row three digits or so, whole
// numbers none.
func decimalsFor(row engine.Table1Row) int {
	top, whole := 0.0, true
	for _, q := range [][3]float64{row.Negative, row.Positive} {
		for _, v := range q {
			top, whole = math.Max(top, math.Abs(v)), whole && v == math.Trunc(v)
		}
	}
	if whole || !(top > 0) || math.IsInf(top, 0) {
		return 0
	}
	return max(0, min(6, 2-int(math.Floor(math.Log10(top)))))
}

// levelRows prints the counts of one category. Its levels, and the rows
// without one, are masked as one table. A class with a masked count has no
// shares: 167 rows that are 99.4 % leave exactly one.
func levelRows(levels []engine.Table1Row, rows, events int) []doc.Row {
	m := maskedLevels(levels, rows, events)
	others, positive := true, true
	for _, r := range m.Rows {
		others, positive = others && r.Others.Shown(), positive && r.Events.Shown()
	}
	missing := m.Rows[len(levels)].N.CountText()
	out := []doc.Row{{Cells: []doc.Cell{{Value: levels[0].Name}, {Value: ""}, {Value: ""}, {Value: missing}}}}
	for i, l := range levels {
		out = append(out, doc.Row{Cells: []doc.Cell{
			{Value: l.Level, Class: "level"}, share(m.Rows[i].Others, l.Negative[1], others),
			share(m.Rows[i].Events, l.Positive[1], positive), {Value: ""},
		}})
	}
	return out
}

// maskedLevels are the levels of one category, then the rows without one.
func maskedLevels(levels []engine.Table1Row, rows, events int) mask.Table {
	rest := mask.Split{N: rows, Events: events}
	var splits []mask.Split
	for _, l := range levels {
		s := mask.Split{N: int(l.Negative[0] + l.Positive[0]), Events: int(l.Positive[0])}
		rest.N, rest.Events = rest.N-s.N, rest.Events-s.Events
		splits = append(splits, s)
	}
	return mask.Hide(append(splits, rest))
}

// share prints a count, with its share where the whole class is shown.
func share(n mask.Span, of float64, whole bool) doc.Cell {
	if !whole {
		return doc.Cell{Value: n.CountText()}
	}
	return doc.Cell{Value: n.CountText(), Note: "(" + viz.Percent(of, 1) + ")"}
}

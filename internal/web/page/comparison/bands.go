package comparison

import (
	"fmt"
	"slices"

	"taper/internal/engine/compare"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// bands are the strata beside each other, a table for each set of boundaries.
func (v Page) bands() []templates.CompareBands {
	var list []templates.CompareBands
	done := map[int]bool{}
	for _, first := range v.order() {
		if done[first] || len(v.Strata[first].Bands) == 0 {
			continue
		}
		var same []int
		for _, i := range v.order() {
			if slices.Equal(v.Strata[i].Boundaries, v.Strata[first].Boundaries) &&
				len(v.Strata[i].Bands) == len(v.Strata[first].Bands) {
				same, done[i] = append(same, i), true
			}
		}
		t := templates.CompareBands{Heads: v.heads(same)}
		for k, b := range v.Strata[first].Bands {
			row := templates.CompareBand{Name: viz.BandName(b.Lower, b.Upper),
				Swatch: templates.SVG(viz.SwatchSVG(b.Lower, b.Upper))}
			for _, i := range same {
				row.Cells = append(row.Cells, v.band(v.Strata[i].Bands[k], 0))
			}
			t.Rows = append(t.Rows, row)
		}
		list = append(list, t)
	}
	return list
}

// moveTables are who changed band between the baseline and each other run.
func (v Page) moveTables() []templates.CompareMoves {
	var list []templates.CompareMoves
	for k, m := range v.Moves {
		i := slices.Index(v.IDs, m.Run)
		t := templates.CompareMoves{ID: fmt.Sprintf("moves-%d", k+1), Title: "Who moved, " + v.Names[v.Base] + " to " +
			v.Names[i], Why: whyNot[m.Reason]}
		if m.Reason == "" && m.Classes != nil {
			t.Title = "Who changed answer, " + v.Names[v.Base] + " to " + v.Names[i]
			t.Sides = v.answerTables(i, m.Classes)
		} else if m.Reason != "" {
			t.Title = "Who moved"
			if same := slices.IndexFunc(list, func(x templates.CompareMoves) bool { return x.Why == t.Why }); same >= 0 {
				list[same].Title = "Who moved" // said once for all
				continue
			}
			t.Title += ", " + v.Names[v.Base] + " to " + v.Names[i]
		} else {
			t.Sides = []templates.MoveTable{v.moveTable("Events", i, m.Table.Events, true),
				v.moveTable("Non-events", i, m.Table.Others, false)}
		}
		list = append(list, t)
	}
	return list
}

func (v Page) moveTable(title string, i int, c stat.Moves, events bool) templates.MoveTable {
	right, wrong, stayed := compare.Tally(c)
	if !events {
		right, wrong = wrong, right
	}
	t := templates.MoveTable{Title: title, N: viz.Count(c.N), From: v.Names[v.Base], To: v.Names[i],
		Right: viz.Count(right) + " moved the right way", Wrong: viz.Count(wrong) + " the wrong way",
		Stay: viz.Count(stayed) + " stayed"}
	if n := c.Net; n.Value != nil && n.Low != nil && n.High != nil {
		t.Net = "Up less down: " + format.Signed(100**n.Value, 1) + format.Pc + " of them (95" + format.Pc + " CI " +
			viz.Range(format.Signed(100**n.Low, 1), format.Signed(100**n.High, 1)) + ")."
	}
	for j, line := range c.Counts {
		b := v.Strata[i].Bands[j]
		row := templates.MoveBand{Name: viz.BandName(b.Lower, b.Upper),
			Swatch: templates.SVG(viz.SwatchSVG(b.Lower, b.Upper))}
		all := 0
		for k, n := range line {
			all += n
			row.Cells = append(row.Cells, moveCell(n, j, k, events))
		}
		row.All = viz.Count(all)
		t.Bands = append(t.Bands, row)
	}
	return t
}

// moveCell marks the rows that stayed, and those that moved up and down: up is
// right for events, down for others.
func moveCell(n, from, to int, events bool) templates.MoveCell {
	c := templates.MoveCell{Text: viz.Count(n)}
	switch {
	case from == to:
		c.Kind = "stay"
	case n == 0:
	case (to > from) == events:
		c.Kind, c.Spoken = "better", " the right way"
	default:
		c.Kind, c.Spoken = "worse", " the wrong way"
	}
	if n == 0 {
		c.Text = "·"
	}
	return c
}

// termTable are the coefficients beside each other.
func (v Page) termTable() *templates.Table {
	if len(v.Terms) == 0 {
		return nil
	}
	t := &templates.Table{Label: "Coefficients", Tall: len(v.Terms) > 12, Class: "tbl-compare tbl-tight",
		Columns: []templates.Column{{Label: "Term"}}}
	for _, i := range v.order() {
		t.Columns = append(t.Columns, templates.Column{Label: v.Names[i], Unit: "per SD", Num: true, Class: "wrap"})
		if i != v.Base {
			t.Columns = append(t.Columns, templates.Column{Label: "difference", Num: true})
		}
	}
	for _, x := range v.Terms {
		name := x.Name
		if x.Class != "" {
			name += ", class " + x.Class
		}
		row := templates.Row{Cells: []templates.Cell{{Text: name, Class: "wrap"}}}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, templates.Cell{Text: viz.NumberOf(x.Standardized[i], 3)})
			if i != v.Base {
				text := viz.None
				if d := x.Deltas[i]; d != nil {
					text = format.Signed(*d, 3)
				}
				row.Cells = append(row.Cells, templates.Cell{Text: text})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "Of the final fits, per SD of the column. Scores of different losses are on different scales: compare " +
		"signs and proportions before sizes."
	return t
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// performance sets the model on its own rows beside the rows that judge, and
// what the refits correct.
func (c Clinical) performance() doc.Table {
	b := c.checked()
	t := doc.Table{Label: "Performance", Lean: true, Columns: []doc.Column{
		{Label: "Measure"}, {Label: "Apparent", Unit: "final fit, own rows", Number: true},
		{Label: c.judgedName(), Unit: "95" + format.Pc + " CI", Number: true},
	}}
	if b != nil {
		t.Columns = append(t.Columns, doc.Column{Label: "Corrected", Unit: viz.Count(b.Replicates) + " refits",
			Number: true})
	}
	var shown []stat.Statistic
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		seen, judged := c.Statistics.Apparent.Of(s.ID), c.Statistics.Judged.Of(s.ID)
		if judged.Value == nil && seen.Value == nil {
			continue
		}
		shown = append(shown, s)
		r := doc.Row{Cells: []doc.Cell{measured(s), doc.Measured(s, seen, bands), doc.Measured(s, judged, bands)}}
		if b != nil {
			r.Cells = append(r.Cells, doc.Measured(s, correctedOf(b, s.ID), bands))
		}
		t.Rows = append(t.Rows, c.withLoss(s, r, 2))
	}
	t.Note = c.performanceNote(shown)
	return t
}

// measured heads the line of a statistic.
func measured(s stat.Statistic) doc.Cell {
	return doc.Cell{Value: s.Label, Note: format.Aside(s)}
}

// intervalLoss is printed as exactly as the masked bands allow (LossText).
const intervalLoss = "interval_loss"

// withLoss prints the interval loss in cell own as exactly as hidden counts allow,
// with the numbers beside it, which are of other rows; else nothing of the line.
func (c Clinical) withLoss(s stat.Statistic, row doc.Row, own int) doc.Row {
	if s.ID != intervalLoss {
		return row
	}
	for k := range row.Cells {
		row.Cells[k].Reveals = mask.Ref{}
	}
	row.Cells[own] = c.ownLoss(row.Cells[own], bands, false)
	row.Reveals = ofBands
	row.Instead = func(r mask.Released) doc.Row {
		if c.lossDecimals(r[bands]) < 0 {
			return doc.Row{}
		}
		return doc.Row{Cells: row.Cells}
	}
	return row
}

// tells reports whether a statistic would tell a masked count.
func (p Printed) tells(s stat.Statistic) bool {
	if s.ID == intervalLoss {
		return p.decimals < 0
	}
	return p.released.Tells(doc.Measured(s, stat.Estimate{}, bands).Reveals)
}

func correctedOf(b *engine.Bootstrap, id string) stat.Estimate {
	for _, m := range b.Metrics {
		if m.ID == id {
			return m.Corrected
		}
	}
	return stat.Estimate{}
}

func (c Clinical) performanceNote(shown []stat.Statistic) string {
	note := "Intervals: " + format.Hows(shown)
	if i := slices.IndexFunc(shown, func(s stat.Statistic) bool { return s.ID == "ici" }); i >= 0 {
		note += " ICI: " + format.LowerFirst(shown[i].Text)
	}
	if c.Run.Spec.Validation.Repeats > 1 {
		note += " Of the repeats, the first."
	}
	if c.Origin != nil {
		note += " Risks were moved for another population; the rows are the parent run’s."
	} else if c.Run.Result.Clinical == nil {
		note += " Some intervals are missing: the run was made before they were kept."
	}
	if c.Statistics.Judged.Brier.Value == nil {
		note += " The model has no probabilities: no Brier score and no calibration."
	} else {
		note += " Probabilities by the " + engine.LinkName(c.Result.Link.ID) + " link."
	}
	if c.checked() != nil {
		note += " Corrected: apparent minus the mean optimism of the refits (Harrell)."
	}
	return note
}

// tablesWide is how many boundaries stand side by side.
const tablesWide = 4

// decisionParts are the tables at the boundaries, the bands as test results, and
// the decision curve.
func (c Clinical) decisionParts() []doc.Node {
	var parts []doc.Node
	for from := 0; from < len(c.Statistics.Boundaries); from += tablesWide {
		parts = append(parts, c.boundaries(from, min(from+tablesWide, len(c.Statistics.Boundaries))))
	}
	return append(parts, c.bands(), c.decisionFigures())
}

// statisticCell is a statistic with its interval.
func statisticCell(s stat.Statistic, e stat.Estimate) doc.Cell {
	if s.Digits == stat.Figures {
		return ratioed(e)
	}
	return estimated(e, doc.Of(s))
}

// boundaries is the 2×2 table of each boundary in numbers.
func (c Clinical) boundaries(from, to int) doc.Table {
	t := doc.Table{Label: "At each boundary", Columns: []doc.Column{{Label: "Called above"}}}
	for k := from; k < to; k++ {
		t.Columns = append(t.Columns, doc.Column{Label: viz.Short(100*c.Statistics.Boundaries[k].Threshold, 4) +
			format.Pc, Number: true})
	}
	lines := stat.Which(stat.Statistic.AtBoundaries)
	for _, s := range lines {
		r := doc.Row{Cells: []doc.Cell{{Value: s.Label, Note: s.Unit}}}
		for k := from; k < to; k++ {
			b := c.Statistics.Boundaries[k]
			cell := statisticCell(s, b.Of(s.ID))
			cell.Reveals = ofBands
			cell.Instead = func(r mask.Released) doc.Cell { return atBoundary(r[bands], b, k, s) }
			r.Cells = append(r.Cells, cell)
		}
		t.Rows = append(t.Rows, r)
	}
	if to == len(c.Statistics.Boundaries) {
		t.Note = "95" + format.Pc + " CI: " + format.Hows(lines)
		t.Aside = doc.Aside{Text: " Where counts are masked, the range that the printed counts leave.", Reveals: ofBands}
	}
	return t
}

// bands is each band as a test result.
func (c Clinical) bands() doc.Table {
	t := doc.Table{Label: "Bands as results of a test", Columns: []doc.Column{{Label: "Band"}}}
	for _, s := range stat.Which(stat.Statistic.InBands) {
		t.Columns = append(t.Columns, doc.Column{Label: s.Label, Unit: s.Unit, Number: true})
	}
	for j, b := range c.Statistics.Bands {
		cells := append([]doc.Cell{{Value: viz.BandName(b.Lower, b.Upper)}}, bandCells(b)...)
		for k := range cells[1:] {
			cells[1+k].Reveals = ofBands
			cells[1+k].Instead = func(r mask.Released) doc.Cell { return bandRatio(r[bands], b, j)[k] }
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	return t
}

// reclassified are the moves from logistic regression's bands, events and the
// others apart.
func (c Clinical) reclassified() []doc.Node {
	m := c.Statistics.Reclassified
	var parts doc.Pair
	for _, g := range []struct {
		name  string
		moves stat.Moves
	}{{"Events", m.Events}, {"Others", m.Others}} {
		t := doc.Table{Caption: g.name + ", " + viz.Count(g.moves.N), Class: "tbl-tight",
			Columns: []doc.Column{{Label: "Logistic regression", Unit: "this model →"}}}
		names := viz.BandNames(c.Result.Boundaries)
		for _, name := range names {
			t.Columns = append(t.Columns, doc.Column{Label: name, Number: true})
		}
		for i, counts := range g.moves.Counts {
			cells := []string{names[i]}
			for _, n := range counts {
				cells = append(cells, viz.Count(n))
			}
			t.Rows = append(t.Rows, doc.TextRow(cells))
		}
		t.Note = fmt.Sprintf("Up %s, down %s, net up %s%s.", percentWords(g.moves.Up), percentWords(g.moves.Down),
			percentWords(g.moves.Net), map[bool]string{true: "", false: " (95" + format.Pc + " CI)"}[g.moves.Up.Low == nil])
		parts = append(parts, []doc.Node{t})
	}
	note := "Events and others are not added up: with three or more bands such a total weighs a move over any boundary " +
		"alike."
	if m.NRI != nil && m.NRI.Value != nil {
		note = "Net reclassification, events' net up minus the others': " + percentWords(*m.NRI) + "."
	}
	if d := c.Statistics.AUC; d != nil && d.Difference.Value != nil {
		note += " AUC minus logistic regression's: " + worded(d.Difference, doc.To(4)) + " (DeLong, paired)."
	}
	return append([]doc.Node{parts}, doc.Note(note))
}

// worded is an estimate in a sentence.
func worded(e stat.Estimate, as doc.Format) string {
	c := estimated(e, as)
	return strings.TrimSpace(c.Text() + " " + c.Small())
}

func percentWords(e stat.Estimate) string {
	c := estimated(e, inPercent)
	return strings.TrimSpace(c.Text() + format.Pc + " " + c.Small())
}

// subgroupTable judges the levels of a column.
func (c Clinical) subgroupTable() doc.Table {
	t := doc.Table{Label: "Subgroups", Columns: subgroupColumns(c.By)}
	for i, g := range c.Groups {
		r := doc.Row{Cells: append([]doc.Cell{{Value: g.Level}, {Value: g.N}, {Value: g.Events}}, groupCells(g)...),
			Reveals: mask.Ref{Table: groups, Row: i},
			Instead: func(r mask.Released) doc.Row { return groupRow(g, r[groups].Rows[i]) }}
		if g.Suppressed {
			r.Class = "is-few"
			r.Cells[3] = doc.Cell{Value: "too few"}
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "On the rows that judge. Groups under 20 rows or 10 events are not judged. A number is cut at its thirds."
	t.Aside = doc.Aside{Text: " Counts of 1 to 9 and their complements are masked.",
		Reveals: mask.Ref{Table: groups, Row: mask.All}}
	return t
}

func subgroupColumns(by string) []doc.Column {
	all := []doc.Column{{Label: by}, {Label: "Rows", Number: true}, {Label: "Events", Number: true}}
	for _, id := range stat.SubgroupStatistics {
		c := doc.Column{Label: format.Narrow(id), Number: true}
		if unit := stat.ByID(id).Unit; unit != "" {
			c.Unit = unit + " (95 % CI)"
		}
		all = append(all, c)
	}
	return all
}

func groupCells(g stat.Subgroup) (cells []doc.Cell) {
	for _, id := range stat.SubgroupStatistics {
		cells = append(cells, statisticCell(stat.ByID(id), g.Of(id)))
	}
	return cells
}

// ordered says whether the score rises over the groups.
func (c Clinical) ordered() doc.Table {
	o := c.Statistics.Ordered
	t := doc.Table{Label: "Score by group, in order", Columns: []doc.Column{{Label: c.Result.Outcome},
		{Label: "Rows", Number: true}, {Label: "Median score", Number: true}, {Label: "Part"}}}
	for k, level := range o.Levels {
		part := "scored only"
		if level == c.Result.Positive.String() || level == c.Result.Negative.String() {
			part = "trained on, scored out of fold"
			if c.Run.Spec.Validation.Kind != "cv" {
				part = "trained on"
			}
		}
		of := mask.Ref{Table: orderGroups, Row: k}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: level},
			{Value: o.N[k], Reveals: of,
				Instead: func(r mask.Released) doc.Cell { return doc.Cell{Value: r[orderGroups].Rows[k].N} }},
			{Value: o.Median[k], Format: doc.To(2), Reveals: of}, {Value: part}}})
	}
	t.Note = "Order as in the spec. All groups: " + trendWords(o.All)
	if o.Unseen != nil {
		t.Note += " Groups no model trained on: " + trendWords(*o.Unseen)
	}
	return t
}

func trendWords(g stat.OrderedGroups) string {
	return fmt.Sprintf("of two rows of different groups the one further on scores higher in %s; Jonckheere–Terpstra z "+
		"= %s, p %s; Spearman’s ρ = %s.",
		percentWords(g.Concordance), viz.NumberOf(g.Z, 2), pValue(g.P), worded(g.Spearman, doc.To(3)))
}

// pValue writes a p-value with its sign.
func pValue(p *float64) string {
	switch {
	case p == nil:
		return viz.None
	case *p < 0.001:
		return "< 0.001"
	}
	return "= " + viz.Number(*p, 3)
}

// sampleSize says what the literature asks for.
func (c Clinical) sampleSize() []doc.Fact {
	n := c.Statistics.SampleSize
	noun, fewer := n.Fewer()
	whole := func(v *int) string {
		if v == nil {
			return viz.None
		}
		return viz.Count(*v) + " rows"
	}
	facts := []doc.Fact{
		{Label: format.UpperFirst(noun) + "s per parameter", Value: viz.NumberOf(n.EPP, 1) +
			fmt.Sprintf(" (%s for %s)", format.Count(fewer, noun), format.Count(n.Parameters, "parameter"))},
		{Label: "Riley, shrinkage of 0.9", Value: whole(n.N1)},
		{Label: "Riley, optimism under 0.05", Value: whole(n.N2)},
		{Label: "Riley, overall risk to ± 0.05", Value: whole(n.N3)},
	}
	if n.Required != nil {
		word := "enough"
		if *n.Required > n.N {
			word = "fewer than asked"
		}
		facts = append(facts, doc.Fact{Label: "Asked, and there", Value: viz.Count(*n.Required) + " rows, " +
			viz.Count(n.N) + " trained on: " + word})
	}
	r2 := "The model has no probabilities, so two criteria have no answer"
	if n.CoxSnell != nil {
		r2 = "Cox–Snell R² " + viz.Number(*n.CoxSnell, 3) + ", " + strings.ToLower(c.judgedName())
	}
	return append(facts, doc.Fact{Label: "Based on", Value: r2})
}

// inflation lists the terms' variance inflation; nil without.
func (c Clinical) inflation() *doc.Table {
	if len(c.Statistics.Inflation) == 0 {
		return nil
	}
	t := &doc.Table{Label: "Variance inflation", Columns: []doc.Column{{Label: "Term"},
		{Label: "VIF", Number: true}}}
	for _, v := range c.Statistics.Inflation {
		t.Rows = append(t.Rows, doc.TextRow([]string{v.Name, viz.NumberOf(v.VIF, 2)}))
	}
	t.Note = "1/(1 − R²) of each term on the others, on the rows trained on. Above 10, coefficients share their " +
		"effects; – means that others determine the term."
	return t
}

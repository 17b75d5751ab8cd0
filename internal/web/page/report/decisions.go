package report

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// tablesWide is the number of boundaries printed side by side.
const tablesWide = 4

// AtBoundaries are the 2×2 statistics at the boundaries, the bands as test results, and the gains curve.
func (c Clinical) AtBoundaries() []doc.Node {
	parts := []doc.Node{doc.Note("At the boundaries: each is a threshold above which " + c.event() + " is predicted.")}
	for from := 0; from < len(c.Statistics.Boundaries); from += tablesWide {
		parts = append(parts, c.boundaries(from, min(from+tablesWide, len(c.Statistics.Boundaries))))
	}
	return append(parts, c.bands(), c.liftFigure())
}

// boundaries is the table of statistics at the boundaries from–to.
func (c Clinical) boundaries(from, to int) doc.Table {
	t := doc.Table{Label: "At each boundary", Columns: []doc.Column{{Label: "At a threshold of"}}}
	for k := from; k < to; k++ {
		t.Columns = append(t.Columns, doc.Column{Label: viz.Short(100*c.Statistics.Boundaries[k].Threshold, 4) +
			format.Pc, Number: true})
	}
	if len(t.Columns) > 3 {
		t.Class = "stacks stacks-wide"
	}
	lines := c.boundaryLines()
	for _, s := range lines {
		r := doc.Row{Cells: []doc.Cell{{Value: s.Label, Note: s.Unit}}}
		for k := from; k < to; k++ {
			b := c.Statistics.Boundaries[k]
			cell := cellAt(s, b, b.Infinite(s.ID))
			cell.Reveals = ofBands
			cell.Instead = func(r mask.Released) doc.Cell { return atBoundary(r[bands], b, k, s) }
			r.Cells = append(r.Cells, cell)
		}
		t.Rows = append(t.Rows, r)
	}
	if to == len(c.Statistics.Boundaries) {
		t.Note = "95" + format.Pc + " CI: " + format.Hows(lines)
		t.MaskedNote = doc.MaskedNote{Text: " Where counts are masked, the range that the printed counts " +
			"leave.", Reveals: ofBands}
	}
	return t
}

// boundaryLines are the statistics at a boundary; of a recalibrated run only those that do not depend on the
// prevalence, since its rows have that of the parent's population.
func (c Clinical) boundaryLines() []stat.Statistic {
	lines := stat.Which(stat.Statistic.AtBoundaries)
	if !c.Result.IsRecalibrated() {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(s stat.Statistic) bool {
		return !slices.Contains([]string{"sensitivity", "specificity", "lr_positive", "lr_negative"}, s.ID)
	})
}

// cellAt is a statistic at a boundary.
func cellAt(s stat.Statistic, b stat.Boundary, infinite bool) doc.Cell {
	if infinite {
		return resultview.InfiniteRatio(b.Of(s.ID))
	}
	return statisticCell(s, b.Of(s.ID))
}

// statisticCell is a statistic with its interval.
func statisticCell(s stat.Statistic, e stat.Estimate) doc.Cell {
	if s.Digits == stat.Figures {
		return ratioed(e)
	}
	return estimated(e, doc.Of(s))
}

// atBoundary is a cell of the table at boundary k. Where counts are masked it is the range of the statistic over
// all tables that the printed bands allow; where all of these give the same value, it is that value.
func atBoundary(t mask.Table, b stat.Boundary, k int, s stat.Statistic) doc.Cell {
	undefined := math.NaN()
	if s.Digits == stat.Figures {
		undefined = math.Inf(1) // a ratio with denominator 0
	}
	low, high, alike, infinite := math.Inf(1), math.Inf(-1), true, true
	all := printedTable(t).at(k).corners(b.Threshold)
	for _, corner := range all {
		e := corner.Of(s.ID)
		v := undefined
		if e.Value != nil {
			v = *e.Value
		}
		low, high, alike = min(low, v), max(high, v), alike && sameEstimate(e, all[0].Of(s.ID))
		infinite = infinite && corner.Infinite(s.ID)
	}
	switch {
	case alike:
		return cellAt(s, b, infinite)
	case infinite: // whatever the masked counts are; its lower limit depends on them
		return doc.Cell{Value: viz.Infinite}
	case s.Digits == stat.Figures:
		return ratioCell(low, high, !math.IsInf(low, 1))
	}
	return rangeCell(low, high, !math.IsNaN(low))(doc.Of(s))
}

// printedTable is the masked table of strata.
type printedTable mask.Table

// at collapses the masked bands at boundary k: a sum lies between the sums of the ends on its own side, and between
// the total minus the ends of the other side.
func (t printedTable) at(k int) quad {
	side := func(of func(mask.Row) mask.Span) (above, below mask.Span) {
		for j, r := range t.Rows {
			if j > k {
				above = plus(above, of(r))
			} else {
				below = plus(below, of(r))
			}
		}
		total := of(t.Total)
		return narrowed(above, total, below), narrowed(below, total, above)
	}
	var q quad
	q.tp, q.fn = side(func(m mask.Row) mask.Span { return m.Events })
	q.fp, q.tn = side(func(m mask.Row) mask.Span { return m.Others })
	q.above, q.below = side(func(m mask.Row) mask.Span { return m.N })
	return q
}

// quad is the 2×2 table at a boundary as the report may show it: it is computed from the printed bands only.
type quad struct {
	tp, fp, fn, tn mask.Span
	above, below   mask.Span // rows, which are often shown where their events are masked
}

// corners returns tables that enclose all others that the printed bands allow: each combines ends of the four
// counts, as far as the rows above and below the boundary allow them together. A statistic that is monotone in each
// count takes its extremes at these tables.
func (q quad) corners(threshold float64) (all []stat.Boundary) {
	for _, above := range together(q.tp, q.fp, q.above) {
		for _, below := range together(q.fn, q.tn, q.below) {
			all = append(all, stat.Boundary{Threshold: threshold, TP: above[0], FP: above[1], FN: below[0], TN: below[1]})
		}
	}
	return all
}

// together lists the corners of all pairs within two spans whose sum lies in a third.
func together(a, b, sum mask.Span) (all [][2]int) {
	add := func(x, y int) {
		if x >= a.Low && x <= a.High && y >= b.Low && y <= b.High && x+y >= sum.Low && x+y <= sum.High {
			all = append(all, [2]int{x, y})
		}
	}
	for _, x := range []int{a.Low, a.High} {
		for _, y := range []int{b.Low, b.High, sum.Low - x, sum.High - x} {
			add(x, y)
		}
	}
	for _, y := range []int{b.Low, b.High} {
		add(sum.Low-y, y)
		add(sum.High-y, y)
	}
	return all
}

func sameEstimate(a, b stat.Estimate) bool {
	same := func(x, y *float64) bool { return x == y || x != nil && y != nil && *x == *y }
	return same(a.Value, b.Value) && same(a.Low, b.Low) && same(a.High, b.High)
}

// bands lists each band as a test result, with its likelihood ratio.
func (c Clinical) bands() doc.Table {
	t := doc.Table{Label: "Likelihood ratio of each band", Columns: []doc.Column{{Label: "Band"}}}
	lines := stat.Which(stat.Statistic.InBands)
	if c.Result.IsRecalibrated() { // rows and events per 1000 would be those of the parent's population
		lines = lines[:1]
	}
	for _, s := range lines {
		t.Columns = append(t.Columns, doc.Column{Label: s.Label, Unit: s.Unit, Number: true})
	}
	others := 0
	for _, b := range c.Statistics.Bands {
		others += b.N - b.Events
	}
	for j, b := range c.Statistics.Bands {
		cells := append([]doc.Cell{{Value: viz.BandName(b.Lower, b.Upper), Band: j + 1}},
			bandCells(b, others)[:len(lines)]...)
		for k := range cells[1:] {
			cells[1+k].Reveals = ofBands
			cells[1+k].Instead = func(r mask.Released) doc.Cell { return bandRatio(r[bands], b, j)[k] }
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	return t
}

// bandRatio are the cells of band j; where its counts are masked, the ranges that the printed counts allow.
func bandRatio(strata mask.Table, b stat.BandRatio, j int) []doc.Cell {
	m, t := strata.Rows[j], strata.Total
	if m.N.Shown() && m.Events.Shown() && t.N.Shown() && t.Events.Shown() {
		return bandCells(b, t.N.Low-t.Events.Low)
	}
	of := func(part, whole mask.Span) ends {
		if whole.Low <= 0 {
			return ends{}
		}
		return ends{float64(part.Low) / float64(whole.High), min(1, float64(part.High)/float64(whole.Low)), true}
	}
	per := func(e ends) doc.Cell { return rangeCell(1000*e.low, 1000*e.high, e.ok)(doc.To(0)) }
	rows := per(of(m.N, t.N))
	if m.N.Shown() && t.N.Shown() {
		rows = bandCells(b, 0)[1]
	}
	return []doc.Cell{ratioCell(quotient(of(m.Events, t.Events), of(m.Others, t.Others))), rows,
		per(of(m.Events, t.N))}
}

// bandCells are the statistics of a band; others are the non-events of all bands.
func bandCells(b stat.BandRatio, others int) (cells []doc.Cell) {
	for _, s := range stat.Which(stat.Statistic.InBands) {
		cell := statisticCell(s, b.Of(s.ID))
		if s.ID == "likelihood_ratio" && stat.InfiniteRatio(b.N, b.Events, others) {
			cell = resultview.InfiniteRatio(b.Of(s.ID))
		}
		cells = append(cells, cell)
	}
	return cells
}

// movesInterval names the intervals of the shares that move.
func movesInterval(m stat.BandChanges) string {
	if m.Up.Low == nil {
		return ""
	}
	return " (95" + format.Pc + " CI: up and down Wilson, NRI " + m.NetInterval() + ")"
}

// nriInterval names the interval of the sum of both NRI, which adds the squared widths of theirs; "" without one.
func nriInterval(m *stat.Reclassification) string {
	how := stat.MeanInterval
	switch {
	case m.NRI.Low == nil:
		return ""
	case m.Events.Alike() || m.Others.Alike():
		how = "from the intervals of both"
	}
	return " (95" + format.Pc + " CI: " + how + ")"
}

// reclassified counts the reclassification from logistic regression's bands, for events and non-events separately.
func (c Clinical) reclassified() []doc.Node {
	m := c.Statistics.Reclassified
	var parts doc.Pair
	for _, g := range []struct {
		name  string
		moves stat.BandChanges
		nri   string
		net   stat.Estimate // of moves in the right direction: up for events, down for non-events
	}{{"Events", m.Events, "NRI of events, up − down", m.Events.Net},
		{"Non-events", m.Others, "NRI of non-events, down − up", m.Others.Net.Negated()}} {
		t := doc.Table{Caption: g.name + ", " + phrase.Int(g.moves.N), Class: "tbl-tight",
			Columns: []doc.Column{{Label: "Logistic regression", Unit: "this model →"}}}
		names := viz.BandNames(c.Result.Boundaries)
		for k, name := range names {
			t.Columns = append(t.Columns, doc.Column{Label: name, Number: true, Band: k + 1})
		}
		for i, counts := range g.moves.Counts {
			cells := []string{names[i]}
			for _, n := range counts {
				cells = append(cells, phrase.Int(n))
			}
			row := doc.TextRow(cells)
			row.Cells[0].Band = i + 1
			t.Rows = append(t.Rows, row)
		}
		t.Note = fmt.Sprintf("Up %s, down %s. %s: %s%s.", percentWords(g.moves.Up), percentWords(g.moves.Down), g.nri,
			percentWords(g.net), movesInterval(g.moves))
		parts = append(parts, []doc.Node{t})
	}
	note := "No overall NRI is given: with three or more bands it weights all moves equally."
	if m.NRI != nil && m.NRI.Value != nil {
		// The two shares have different denominators, so their sum is no percentage.
		note = "NRI, the sum of that of events and that of non-events: " + worded(*m.NRI, doc.To(3)) + nriInterval(m) + "."
	}
	if !c.Result.RanksModels() {
		note += " " + engine.CloserFit
	}
	if d := c.Statistics.AUC; d != nil && d.Difference.Value != nil && c.Result.RanksModels() {
		note += " " + aucAgainstLogistic(d.Difference)
	}
	return append([]doc.Node{parts}, doc.Note(note))
}

// aucAgainstLogistic words a difference of AUCs. Beside its interval it says only whether that excludes 0: a
// difference may be significant and too small to be called better.
func aucAgainstLogistic(d stat.Estimate) string {
	size, which := d, " higher than "
	if *d.Value < 0 {
		size, which = d.Negated(), " lower than "
	}
	alone := d.Low == nil || d.High == nil
	value, limits := viz.Number(*size.Value, 4), ""
	if !alone {
		value, limits = viz.Estimate(*size.Value, *size.Low, *size.High, 0)
	}
	text := "The AUC is " + value + which + "logistic regression’s"
	if *d.Value == 0 {
		text = "The AUC equals logistic regression’s"
	}
	if alone {
		return text + "."
	}
	excludes := "includes 0, no significant difference"
	if *d.Low > 0 || *d.High < 0 {
		excludes = "excludes 0"
	}
	return text + " (95" + format.Pc + " CI " + limits + ", DeLong, paired: it " + excludes + ")."
}

// Benefit is the decision curve, which needs probabilities, and the net benefit at the boundaries.
func (c Clinical) Benefit() (out doc.Figures) {
	if c.Result.IsRecalibrated() { // it depends on the prevalence, which is the parent's
		return nil
	}
	if c.Statistics.Judged.Brier.Value != nil && !c.Result.NoPredictor && len(c.Statistics.Decisions) > 0 {
		lines := viz.DecisionLines(c.Statistics.Decisions, c.Result.Boundaries)
		curve := doc.Figure{Title: "Decision curve", Say: "Net benefit: true positives per row minus false positives per " +
			"row times the odds of the threshold. Vertical lines: the boundaries.", Reveals: mask.OfRows,
			Lines: &lines, SVG: viz.DecisionSVG(c.Statistics.Decisions, c.Result.Boundaries, 0),
			Legend: []doc.Mark{{SVG: viz.LineSVG("s1"), Text: "this model"},
				{SVG: viz.LineSVG("s2"), Text: "act on all"}, {SVG: viz.LineSVG("step"), Text: "act on none"}}}
		lines.Sentence = curve.Say
		curve.Instead = func(r mask.Released) doc.Figure { return c.coarseDecisions(curve, r[bands]) }
		out = append(out, curve)
	}
	if t := c.benefits(); len(t.Rows) > 0 {
		out = append(out, doc.Figure{Title: "Net benefit at the boundaries", Table: &t, Reveals: ofBands})
	}
	return out
}

// liftFigure is the cumulative gains curve; in a masked report, a coarse one. A recalibrated run has none: the share of
// rows to be predicted positive for a share of the events depends on the prevalence, which is the parent's.
func (c Clinical) liftFigure() (out doc.Figures) {
	if c.Result.IsRecalibrated() {
		return nil
	}
	if f := c.liftChart(c.Statistics.Gains, ""); f != nil {
		f.Reveals = mask.OfRows
		f.Instead = func(mask.Released) doc.Figure {
			coarse := c.liftChart(c.coarseGains(), "about ")
			if coarse == nil {
				return doc.Figure{}
			}
			coarse.Reveals = ofBands
			coarse.Lines.Sentence += " Drawn through points that lie ten events and ten non-events apart."
			return *coarse
		}
		out = append(out, *f)
	}
	return out
}

// coarseDecisions is the decision curve of a masked report. The exact curve has a step for each row, so values are
// rounded to the share of ten rows. Where a band is masked, only the ranges at the boundaries that the printed
// table allows are drawn. The curve of treating all discloses only the share of events.
func (c Clinical) coarseDecisions(curve doc.Figure, t mask.Table) doc.Figure {
	curve.Reveals, curve.Lines = ofEvents, nil
	if n := float64(t.Total.N.Low); !t.Hidden() {
		curve.SVG = viz.DecisionSVG(c.Statistics.Decisions, c.Result.Boundaries, leastRows/n)
		curve.Say += " Rounded to " + phrase.Int(leastRows) + " rows."
		return curve
	}
	var at []viz.BenefitRange
	for k, b := range c.Statistics.Boundaries {
		r := viz.BenefitRange{Threshold: b.Threshold, Low: math.Inf(1), High: math.Inf(-1)}
		for _, corner := range printedTable(t).at(k).corners(b.Threshold) {
			v := stat.OrNaN(corner.NetBenefit().Value)
			r.Low, r.High = min(r.Low, v), max(r.High, v)
		}
		at = append(at, r)
	}
	curve.SVG = viz.DecisionRangesSVG(c.Statistics.Decisions, at)
	curve.Say += " Of this model the range at each boundary that the printed counts leave, since counts are masked."
	return curve
}

// liftAt are the shares of rows predicted positive listed in the table of the gains curve.
var liftAt = [...]float64{.05, .1, .2, .3, .5, .75}

// liftChart draws the sensitivity against the share of rows predicted positive, in order of decreasing score; nil where
// all scores are equal. about stands before numbers that are interpolated between the points of a coarse curve, and
// differ from those of the page.
func (c Clinical) liftChart(curve []stat.GainsPoint, about string) *doc.Figure {
	if len(curve) < 3 { // only the two end points
		return nil
	}
	ends := [2]float64{0, 100}
	o := &viz.Overlay{ID: "lift", Title: "Cumulative gains curve", Diagonal: "rows at random",
		X: viz.Axis{Name: "predicted positive, %", Ends: ends}, Y: viz.Axis{Name: "sensitivity, %", Ends: ends},
		Head: []string{"Predicted positive, %", "Sensitivity, %", "Lift"}}
	model := viz.Trace{Name: "this model", Mark: "s1"}
	for _, p := range curve {
		model.X, model.Y = append(model.X, 100*p.Flagged), append(model.Y, 100*p.Found)
	}
	share := 100 * float64(c.Result.Flow.ScoredEvents) / float64(c.Result.Flow.Scored)
	o.Lines = []viz.Trace{model,
		{Name: "a perfect score", Mark: "ref2", X: []float64{0, share, 100}, Y: []float64{0, 100, 100}}}
	for _, at := range liftAt {
		found := foundAt(curve, at)
		o.Rows = append(o.Rows, []string{viz.Percent(at, 0), viz.Percent(found, 1), viz.Number(found/at, 2)})
	}
	tenth := foundAt(curve, .1)
	o.Sentence = "Sensitivity against the share of rows predicted positive, highest scores first. The first 10" +
		format.Pc + " of the rows contain " + about + viz.Percent(tenth, 0) + format.Pc + " of the events, " + about +
		viz.Number(10*tenth, 1) + " times as many as at random."
	return &doc.Figure{Title: o.Title, Lines: o}
}

// foundAt interpolates a gains curve at a share of rows predicted positive.
func foundAt(curve []stat.GainsPoint, at float64) float64 {
	k := slices.IndexFunc(curve, func(p stat.GainsPoint) bool { return p.Flagged >= at })
	if k == 0 {
		return curve[0].Found
	}
	a, b := curve[k-1], curve[k]
	return a.Found + (b.Found-a.Found)*(at-a.Flagged)/(b.Flagged-a.Flagged)
}

// coarseGains are the points of the gains curve for a masked report: at least ten events and ten non-events lie
// between neighbouring points, the ends included.
func (c Clinical) coarseGains() []stat.GainsPoint {
	rows, events := float64(c.Result.Flow.Scored), float64(c.Result.Flow.ScoredEvents)
	far := func(a, b stat.GainsPoint) bool {
		found, flagged := math.Round((b.Found-a.Found)*events), math.Round((b.Flagged-a.Flagged)*rows)
		return found >= leastRows && flagged-found >= leastRows
	}
	all, end := []stat.GainsPoint{{}}, stat.GainsPoint{Flagged: 1, Found: 1}
	for _, p := range c.Statistics.Gains {
		if far(all[len(all)-1], p) && far(p, end) {
			all = append(all, p)
		}
	}
	return append(all, end)
}

// benefits is the net benefit at the boundaries.
func (c Clinical) benefits() doc.Table {
	t := doc.Table{Label: "Net benefit at the boundaries", Class: "tbl-tight", Columns: []doc.Column{
		{Label: "Threshold"}, {Label: "Net benefit", Unit: "per" + phrase.NBSP + "100", Number: true},
		{Label: "All", Unit: "per" + phrase.NBSP + "100", Number: true},
		{Label: "Net interventions avoided", Unit: "per" + phrase.NBSP + "100", Number: true}}}
	for _, pi := range c.Result.Boundaries {
		for _, d := range c.Statistics.Decisions {
			if math.Abs(d.Threshold-pi) < 1e-9 {
				t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: viz.Short(100*pi, 4) + format.Pc},
					estimated(d.Model, inPercent), {Value: d.All.Value, Format: inPercent}, estimated(d.Avoided, doc.To(1))}})
			}
		}
	}
	t.Note = "Net benefit of acting on all rows above the threshold (95" + format.Pc +
		" CI: " + stat.NetBenefitInterval + "), and of acting on everyone. Net interventions avoided are " +
		"relative to acting on everyone: we count the interventions on non-events that are avoided, and subtract " +
		"(1 − p)/p for each event missed, where p is the threshold."
	return t
}

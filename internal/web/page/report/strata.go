package report

import (
	"math"
	"slices"
	"strconv"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// strataParts are the bands on the first page: their table, and beside each other the density of the score, a
// hundred people per band, and the key figures.
func (p Printed) strataParts() []doc.Node {
	if len(p.r.Strata) == 0 {
		return nil
	}
	t := p.strataTable(p.howJudged() + resultview.FirstRepeat(p.run.Spec))
	return append([]doc.Node{t}, p.beside(p.c.judgedName())...)
}

// beside are the figures and key figures below the table of strata, in two columns.
func (p Printed) beside(judged string) []doc.Node {
	var people, figures doc.Nodes
	if all := p.icons(); len(all) > 0 {
		say := "Of 100 people in each band."
		if slices.ContainsFunc(all, func(i doc.Icon) bool { return i.SVG != "" }) {
			say = "Of 100 people in each band. Filled triangles: " + p.event() + "."
		}
		people = doc.Nodes{doc.Say(say), all}
	}
	if t := p.c.keyFigures(judged); len(t.Rows) > 0 {
		figures = doc.Nodes{t}
	}
	if f := p.density(); f != nil {
		return []doc.Node{doc.Pair{{*f}, append(people, figures...)}}
	}
	return []doc.Node{doc.Pair{people, figures}}
}

// strataDetails are the parts about the bands that the first page leaves out.
func (p Printed) strataDetails() (parts []doc.Node) {
	if p.r.PCA != nil && len(p.r.PCA.X) > 0 {
		parts = append(parts, doc.Figures{p.plane()})
	}
	if p.c.Known && p.c.Statistics.Ordered != nil {
		parts = append(parts, p.c.ordered())
	}
	if p.r.Reject != nil && len(p.r.Strata) == 3 {
		parts = append(parts, doc.Note(p.rejectNote()))
	}
	return parts
}

// strataClass is the CSS class of the strata table, by which Card finds it in a stored report.
const strataClass = "rep-strata"

// strataTable has a line per band; judged names the rows counted.
func (p Printed) strataTable(judged string) doc.Table {
	t := doc.Table{Label: "Strata", Class: strataClass, Columns: []doc.Column{
		{Label: "Band", Unit: "risk of " + p.event()}, {Label: "Rows", Number: true, Class: "nowrap"},
		{Label: "Share", Unit: "%", Number: true, Class: "nowrap only-w"}, {Label: "Events", Number: true, Class: "nowrap"},
		{Label: format.ShortLabel("rate"), Unit: "% (95" + format.Pc + " CI)", Number: true},
		{Label: "Rate and limits", Unit: "%", SVG: viz.ForestAxisSVG(), Class: "c only-w"}, {Label: "Verdict"}}}
	for j, s := range p.r.Strata {
		word := p.word(j)
		row := doc.Row{Cells: append([]doc.Cell{{Value: viz.BandName(s.Lower, s.Upper),
			Swatch: viz.SwatchSVG(s.Lower, s.Upper), Band: j + 1}}, p.bandCells(p.strata.Rows[j])...)}
		forest := viz.ForestSVG(s)
		if m := p.strata.Rows[j]; !m.N.Shown() || !m.Events.Shown() {
			low, high, _ := m.Rates()
			forest = viz.MaskedForestSVG(s.Lower, s.Upper, low, high, word == stat.TooFew)
			row.Cells[4].Mark = "a"
		}
		verdict := doc.Cell{Chip: word}
		if p.Small == ShowSmall {
			verdict.Note = resultview.OnFewRows(s)
		}
		if p.r.IsRecalibrated() {
			verdict = doc.Cell{Value: viz.None}
		}
		row.Cells = append(row.Cells, doc.Cell{Value: "", Swatch: forest, Class: "fcell"}, verdict)
		if word == stat.TooFew {
			row.Class = "is-few"
		}
		t.Rows = append(t.Rows, row)
	}
	t.Foot = append([]doc.Cell{{Value: "All"}}, append(p.bandCells(p.strata.Total), doc.Cell{Value: ""},
		doc.Cell{Value: ""})...)
	t.Note = judged + resultview.Independent(p.r) + " Wilson 95" + format.Pc + " CI. "
	if p.r.IsRecalibrated() {
		t.Note += resultview.NoVerdicts
	} else {
		t.Note += stat.BandVerdicts
	}
	if slices.ContainsFunc(t.Rows, func(r doc.Row) bool { return r.Cells[4].Mark != "" }) {
		t.Note += " a: masked; the range of possible rates is given and hatched (appendix Masks)."
	}
	return t
}

// bandCells are the rows of a band, their share, its events and its event rate; where counts are masked, the ranges
// that they allow.
func (p Printed) bandCells(m mask.Row) []doc.Cell {
	share, rate := doc.Cell{}, doc.Cell{}
	if all := p.strata.Total.N; m.N.Shown() && all.Shown() && all.Low > 0 {
		share = doc.Cell{Value: float64(m.N.Low) / float64(all.Low), Format: inPercent}
	}
	if !m.N.Shown() || !m.Events.Shown() {
		if low, high, ok := m.Rates(); ok && (low > 0 || high < 1) {
			rate = rangeCell(low, high, true)(inPercent)
		}
	} else if m.N.Low > 0 {
		rate = estimated(stat.Proportion(m.Events.Low, m.N.Low), inPercent)
	}
	return []doc.Cell{{Value: m.N}, share, {Value: m.Events}, rate}
}

func (p Printed) howJudged() string {
	if text := p.r.Given.HowEvaluated(p.split()); text != "" {
		return text
	}
	switch {
	case p.r.Apparent:
		return "Apparent: every row was scored by the model that was trained on it."
	case p.split():
		return resultview.HeldOut(p.r)
	}
	if p.r.Optimistic || len(p.r.FoldL2) < 2 || !p.run.Spec.Model.L2.Tuned() {
		return "Out of fold: every row was scored by a model that was not trained on it."
	}
	return "Out of fold: every row was scored by a model that was not trained on it, with λ chosen inside each fold."
}

// distribution is the density of the score by class, in full width.
func (p Printed) distribution() []doc.Node {
	f := p.density()
	if f == nil {
		return nil
	}
	return []doc.Node{doc.Figures{*f}}
}

// density is its figure, nil for runs without one.
func (p Printed) density() *doc.Figure {
	if len(p.r.Density) == 0 {
		return nil
	}
	f := doc.Figure{Title: viz.DistributionTitle, Say: p.densitySay(), SVG: viz.DensitySVG(p.r, leastRows),
		Reveals: ofBands}
	f.Instead = func(mask.Released) doc.Figure {
		f.SVG, f.Reveals = viz.DensitySVG(p.densities(), leastRows), mask.NoCount
		return f
	}
	return &f
}

// plane shows the first two components. A mark is a position, not a count: bands and groups of few rows are left
// out, and every band has more rows than marks, so that marks cannot be counted to find a rare level or the rows
// left out.
func (p Printed) plane() doc.Figure {
	f := doc.Figure{Title: "Rows by band", SVG: viz.PCASVG(p.r, viz.PlaneMask{}), Reveals: mask.OfRows,
		Say: "Places where rows of a band lie, not single rows: positions are rounded to a grid and each is marked once."}
	keep := viz.PlaneMask{Hidden: map[int]bool{}, Few: p.r.PCA.Few, Spare: leastRows - 1}
	var drawn []doc.Mark
	for j, m := range p.strata.Rows {
		if m.N.High == 0 {
			continue
		}
		mark := doc.Mark{SVG: viz.MarkSVG(p.r.Boundaries, j), Text: p.bandName(j)}
		f.Legend = append(f.Legend, mark)
		if m.N.Low < leastMarked {
			keep.Hidden[j] = true
			continue
		}
		drawn = append(drawn, mark)
	}
	if len(p.r.PCA.X) == len(keep.Few) || len(drawn) == 0 || p.unmarkedFew() {
		return f
	}
	f.Instead = func(mask.Released) doc.Figure {
		f.SVG, f.Legend, f.Reveals = viz.PCASVG(p.r, keep), drawn, mask.NoCount
		f.Say += " The grid of a band is so coarse that its marks don’t count rows."
		if len(keep.Hidden) > 0 {
			f.Say += " Bands under " + phrase.Int(leastMarked) + " rows are left out."
		}
		if len(keep.Few) > 0 {
			f.Say += " Rows of a level, or without a value, that fewer than ten rows share are left out."
		}
		return f
	}
	return f
}

// leastMarked is the smallest number of rows of a band that a masked report marks in the plane. For fewer rows, a
// grid coarse enough to hide their number would show nothing.
const leastMarked = 30

// densities returns the result with the densities that a masked report may show. The density of a class integrates
// over a band to the share of the class in this band. Where a band is masked, every band is scaled to the area that
// its printed count allows; within masked bands the density is flat, within others its shape is kept. Groups that
// are only scored have no printed counts, so they and the medians of the others are left out.
func (p Printed) densities() *engine.Result {
	r := *p.r
	r.Density = nil
	for _, d := range p.r.Density {
		of := func(r mask.Row) mask.Span { return r.Others }
		switch d.Level {
		case r.Negative.String():
		case r.Positive.String():
			of = func(r mask.Row) mask.Span { return r.Events }
		default:
			continue
		}
		d.Median = math.NaN()
		if d.X, d.Y = banded(d.X, d.Y, r.Delta, p.strata.Rows, of); len(d.X) > 0 {
			r.Density = append(r.Density, d)
		}
	}
	return &r
}

// banded cuts a curve over x at the cut-offs and scales each part to the area given by the middle of its printed
// count, divided by the sum of these middles.
func banded(x, y, cuts []float64, rows []mask.Row, of func(mask.Row) mask.Span) (xs, ys []float64) {
	if len(x) < 2 || len(x) != len(y) || len(rows) != len(cuts)+1 {
		return nil, nil
	}
	middle := func(r mask.Row) float64 { return float64(of(r).Low+of(r).High) / 2 }
	all := 0.0
	for _, r := range rows {
		all += middle(r)
	}
	for j, r := range rows {
		from, to := x[0], x[len(x)-1]
		if j > 0 {
			from = max(from, cuts[j-1])
		}
		if j < len(cuts) {
			to = min(to, cuts[j])
		}
		if from >= to {
			continue
		}
		inX, inY, area := []float64{from}, []float64{0}, 0.0
		for i, v := range x {
			if v > from && v < to {
				inX, inY = append(inX, v), append(inY, y[i])
			}
		}
		inX, inY = append(inX, to), append(inY, 0)
		if last := len(inX) - 1; last > 1 {
			inY[0], inY[last] = inY[1], inY[last-1]
		}
		for i := range inX[1:] {
			area += (inX[i+1] - inX[i]) * (inY[i] + inY[i+1]) / 2
		}
		want := middle(r) / max(all, 1)
		for i := range inX {
			if shown := r.N.Shown() && r.Events.Shown(); shown && area > 0 {
				inY[i] *= want / area
			} else {
				inY[i] = want / (to - from)
			}
		}
		xs, ys = append(xs, inX...), append(ys, inY...)
	}
	if len(xs) > 0 { // the polygon starts and ends on the axis
		xs, ys = append(append([]float64{xs[0]}, xs...), xs[len(xs)-1]), append(append([]float64{0}, ys...), 0)
	}
	return xs, ys
}

// unmarkedFew reports a run of an earlier version whose plane contains a rare group without a record of which rows
// it has.
func (p Printed) unmarkedFew() bool {
	m := p.c.Model
	return m != nil && len(p.r.PCA.Few) == 0 && slices.Contains(m.Rare(p.r.Flow.Trained), true)
}

// densitySay names the lines of the density, and the groups that are too small to draw.
func (p Printed) densitySay() string {
	say := "Vertical lines: cut-offs. Solid: " + p.r.Negative.String() + "; dashed: " + p.r.Positive.String()
	var others, few []string
	for _, d := range p.r.Density {
		switch {
		case d.N < leastRows:
			few = append(few, d.Level)
		case d.Level != p.r.Negative.String() && d.Level != p.r.Positive.String() && !p.strata.Hidden():
			others = append(others, d.Level)
		}
	}
	if len(others) > 0 {
		say += "; other dashes, scored but not used for training: " + phrase.Join(others)
	}
	if len(few) > 0 {
		say += ". Too few rows to draw: " + phrase.Join(few)
	}
	if p.strata.Hidden() {
		say += ". Drawn from the printed counts, so that heights jump at the cut-offs (appendix Masks)"
	}
	return say + "."
}

// rejectNote sums up a rule with abstention from the masked counts: band 0 is predicted negative, band 2 positive,
// band 1 abstains.
func (p Printed) rejectNote() string {
	rows := p.strata.Rows
	errors, accepted := plus(rows[0].Events, rows[2].Others), plus(rows[0].N, rows[2].N)
	text := "Reject rule: " + accepted.CountText() + " rows get an answer"
	if accepted.Shown() && p.strata.Total.N.Shown() && p.strata.Total.N.Low > 0 {
		text += " (" + viz.Percent(p.r.Reject.Rate, 1) + format.Pc + ")"
	}
	text += ", " + errors.CountText() + " of them wrong"
	if e := p.r.Reject.ErrorRate; e != nil && errors.Shown() && accepted.Shown() {
		text += " (" + viz.Percent(*e, 1) + format.Pc + ")"
	}
	return text + "; " + rows[1].Events.CountText() + " events are among the rejected. Cost of rejecting one row: " +
		viz.Short(p.r.Reject.Cost, 3) + "."
}

// icons draws a hundred people per band; for a masked band the range is written instead.
func (p Printed) icons() (all doc.Icons) {
	if p.r.IsRecalibrated() { // the people would be those of the parent's population
		return nil
	}
	for j := range p.r.Strata {
		m, i := p.strata.Rows[j], doc.Icon{Name: p.bandName(j), Band: j + 1}
		switch {
		case m.N.High == 0:
			continue
		case m.N.Shown() && m.Events.Shown():
			events := int(math.Round(100 * float64(m.Events.Low) / float64(m.N.Low)))
			i.Text = strconv.Itoa(events) + " of 100"
			i.SVG = viz.IconsSVG(events, p.word(j) == stat.TooFew, i.Text+" in the band "+i.Name)
		default:
			i.Text = "masked: " + p.bandCells(m)[3].Text() + " of 100"
		}
		all = append(all, i)
	}
	return all
}

// performanceParts are the core measures: statistics, calibration curve, decision curve and the density by class.
func (p Printed) performanceParts() []doc.Node {
	if !p.c.Known && len(p.r.Density) == 0 {
		return nil
	}
	shown := resultview.Core{Distribution: p.density() != nil}
	var parts []doc.Node
	if p.c.Known {
		calibration, benefit := p.c.calibrationFigure(), p.c.Benefit()
		shown.Calibration, shown.Benefit = len(calibration) > 0, len(benefit) > 0
		parts = append(append(parts, p.c.Performance()), resultview.BeforeAfter(p.run.Spec, p.r)...)
		parts = append(parts, slices.Concat(calibration, benefit))
	}
	parts = append(parts, p.counted(Printed.distribution)...)
	says := resultview.CoreMeasures(p.run.Spec.Model.Link() != loss.LinkNone, shown)
	return slices.Insert(parts, 0, doc.Node(doc.Note(says)))
}

// classification is the statistics at the boundaries, each used as a threshold.
func (p Printed) classification() []doc.Node {
	if !p.c.Known || len(p.c.Statistics.Boundaries) == 0 {
		return nil
	}
	return p.c.AtBoundaries()
}

// subgroupSection evaluates the levels of the chosen column; small counts and what would reveal them are masked.
func (p Printed) subgroupSection() []doc.Node {
	switch {
	case p.several():
		return []doc.Node{doc.Note("Subgroups exist for binary runs only. " +
			"Performance by subgroup of a multiclass run is for the author to complete.")}
	case !p.c.Known:
		return nil
	}
	if p.c.By == "" && p.Alone {
		return []doc.Node{doc.Note("No column was chosen.")}
	}
	if p.c.By == "" && p.Kept {
		return []doc.Node{doc.Note("No column was chosen while the data were there.")}
	}
	if p.c.By == "" {
		return []doc.Node{doc.Note("No column was chosen. Choose one on the page Performance, under " +
			"Subgroups; the report opened from there has them too.")}
	}
	return []doc.Node{p.c.subgroupTable()}
}

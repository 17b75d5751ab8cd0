package main

import (
	"slices"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/metric"
	"taper/internal/viz"
	"taper/web/templates"
)

// drawnCurves are the splines of a linear model with what is known of them.
type drawnCurves struct {
	r       *engine.Result
	boot    *engine.Bootstrap // nil before the check by refits
	without string            // says why there is no band; "": that the check makes one
	print   func(engine.SplineCurve) (from, to float64)
}

// view draws the curves, nil where every column is straight. In print they end
// where no single row shows, and counts are rounded up.
func (d drawnCurves) view() *templates.Curves {
	if len(d.r.Splines) == 0 {
		return nil
	}
	var all []templates.ReportFigure
	for _, c := range d.r.Splines {
		p := viz.SplinePlot{Curve: c, Band: d.band(c), From: c.X[0], To: c.X[len(c.X)-1]}
		if d.print != nil {
			p.From, p.To = d.print(c)
			p.Step = 2 * leastRows
		}
		all = append(all, templates.ReportFigure{Title: c.Column, Say: d.sayOf(c), SVG: viz.SplineSVG(p), Legend: curveLegend(p)})
	}
	return &templates.Curves{Say: d.say(), Table: d.table(), Figures: slices.Collect(slices.Chunk(all, 2))}
}

func curveLegend(p viz.SplinePlot) (all []templates.ReportMark) {
	if p.Band != nil {
		all = append(all, templates.ReportMark{SVG: viz.BandSVG(), Text: "95" + wording.Pc + " band"})
	}
	all = append(all, templates.ReportMark{SVG: viz.KnotSVG(), Text: "knots"})
	if len(p.Curve.Bins) > 0 { // none once the data are gone
		all = append(all, templates.ReportMark{SVG: viz.RugSVG(), Text: "rows trained on"})
	}
	return all
}

// say tells what is drawn, and where its bands come from.
func (d drawnCurves) say() string {
	text := "What a column that is a curve adds to the score, relative to its median: a natural cubic spline, straight beyond its outer knots."
	switch {
	case d.boot != nil && len(d.boot.Splines) > 0:
		text += " Bands: 95" + wording.Pc + " percentile intervals at each value over " + viz.Count(d.boot.Replicates) + " bootstrap refits, knots and all else learned anew in each; the penalty draws curves towards flat, and so their bands."
	case d.without != "":
		text += " " + d.without
	default:
		text += " A band is known after the check by refits."
	}
	return text
}

// sayOf puts one curve into words.
func (d drawnCurves) sayOf(c engine.SplineCurve) string {
	text := wording.UpperFirst(engine.KnotWords(len(c.Knots))) + "; 0 at the median " + viz.SplineValue(c, c.Reference) + "."
	k := c.Contrasts[len(c.Contrasts)-1]
	between := "From " + viz.SplineValue(c, k.From) + " to " + viz.SplineValue(c, k.To) + ", its quartiles: "
	value, odds := d.intervals(c, len(c.Contrasts)-1)
	if k.OddsRatio != nil {
		return text + " " + between + "odds ratio " + oddsWithCI(*k.OddsRatio, odds) + "."
	}
	return text + " " + between + viz.Number(k.Effect, 3) + " of the score" + withSpace(effectLimits(value)) + "."
}

// table lists what the quartiles add (Harrell).
func (d drawnCurves) table() templates.Table {
	t := templates.Table{Label: "What the curves add", Columns: []templates.Column{{Label: "Column"}, {Label: "Value"}, {Label: "Against"}, {Label: "Score", Num: true}}}
	odds := d.r.Splines[0].Scale > 0
	if odds {
		t.Columns = append(t.Columns, templates.Column{Label: "Odds ratio", Num: true})
	}
	for _, c := range d.r.Splines {
		names := [][2]string{{"lower quartile", "median"}, {"upper quartile", "median"}, {"upper quartile", "lower quartile"}}
		for i, k := range c.Contrasts {
			value, ratio := d.intervals(c, i)
			row := templates.Row{Cells: []templates.Cell{{Text: c.Column}, {Text: viz.SplineValue(c, k.To), CI: names[i][0]}, {Text: viz.SplineValue(c, k.From), CI: names[i][1]},
				{Text: viz.Number(k.Effect, 3), CI: effectLimits(value)}}}
			if odds {
				cell := templates.Cell{Text: viz.None}
				if k.OddsRatio != nil {
					cell = templates.Cell{Text: inOdds(*k.OddsRatio), CI: oddsLimits(ratio)}
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Note = "Quartiles and medians of the rows trained on. One unit of a curve has no odds ratio of its own: it depends on where one stands."
	return t
}

// band returns the band of a curve, nil before there is one.
func (d drawnCurves) band(c engine.SplineCurve) *engine.SplineBand {
	if d.boot == nil {
		return nil
	}
	for i := range d.boot.Splines {
		if b := &d.boot.Splines[i]; b.Column == c.Column && len(b.Low) == len(c.X) {
			return b
		}
	}
	return nil
}

// intervals are those of a contrast, empty without refits.
func (d drawnCurves) intervals(c engine.SplineCurve, i int) (value, odds metric.Estimate) {
	if b := d.band(c); b != nil && i < len(b.Contrasts) && i < len(b.OddsRatio) {
		return b.Contrasts[i], b.OddsRatio[i]
	}
	return
}

func effectLimits(e metric.Estimate) string {
	if e.Low == nil || e.High == nil {
		return ""
	}
	return "(" + viz.Range(viz.Number(*e.Low, 3), viz.Number(*e.High, 3)) + ")"
}

func oddsLimits(e metric.Estimate) string {
	if e.Low == nil || e.High == nil {
		return ""
	}
	return "(" + viz.Range(inOdds(*e.Low), inOdds(*e.High)) + ")"
}

func oddsWithCI(v float64, e metric.Estimate) string {
	return inOdds(v) + withSpace(oddsLimits(e))
}

// inOdds writes the odds ratio of two values far apart: to two decimals, small
// ones to two digits.
func inOdds(v float64) string {
	if v < 0.0995 {
		return viz.Short(v, 2)
	}
	return wording.Ratio(v)
}

func withSpace(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// curves are those of a run with the bands of its check; nil without any.
func (c clinical) curves(print bool) *templates.Curves {
	d := drawnCurves{r: c.r, boot: c.checked()}
	if c.origin != nil {
		d.without = "A recalibrated run has no refits of its own, and so no bands: see its parent."
	}
	if print {
		d.print = bulk
	}
	return d.view()
}

// bulk is the range of a curve that holds most values: a quartile range beyond
// the quartiles, the knots, and nothing beyond the data.
func bulk(c engine.SplineCurve) (from, to float64) {
	wide := c.Quartiles[1] - c.Quartiles[0]
	from, to = min(c.Quartiles[0]-wide, c.Knots[0]), max(c.Quartiles[1]+wide, c.Knots[len(c.Knots)-1])
	return max(from, c.X[0]), min(to, c.X[len(c.X)-1])
}

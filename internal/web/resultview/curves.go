package resultview

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Curves are the splines of a linear model with their bootstrap bands.
type Curves struct {
	Result  *engine.Result
	Refits  *engine.Bootstrap                           // nil before the bootstrap
	Without string                                      // why there is no band; "": the bootstrap computes it
	Print   func(engine.SplineCurve) (from, to float64) // range of a curve in a masked report; nil: not printed
	Step    int                                         // masked counts are rounded up to its multiples
}

// Nodes draws the curves, nil where every column is linear. In a masked report they are cut so that no single row
// is disclosed, and counts are rounded up.
func (d Curves) Nodes() doc.Curves {
	if len(d.Result.Splines) == 0 {
		return nil
	}
	var all doc.Figures
	for _, c := range d.Result.Splines {
		p := viz.SplinePlot{Curve: c, Band: d.band(c), From: c.X[0], To: c.X[len(c.X)-1]}
		f := doc.Figure{Title: c.Column, Say: d.sayOf(c), SVG: viz.SplineSVG(p), Legend: curveLegend(p), Reveals: mask.OfRows}
		if d.Print != nil {
			f.Instead = func(mask.Released) doc.Figure {
				coarse := f
				p.From, p.To = d.Print(c)
				p.Step = d.Step
				coarse.SVG, coarse.Reveals = viz.SplineSVG(p), mask.NoCount
				return coarse
			}
		}
		all = append(all, f)
	}
	nodes := doc.Curves{doc.Say(d.say())}
	for row := range slices.Chunk(all, 2) { // pages break between rows
		nodes = append(nodes, row)
	}
	return append(nodes, d.table())
}

func curveLegend(p viz.SplinePlot) (all []doc.Mark) {
	if p.Band != nil {
		all = append(all, doc.Mark{SVG: viz.BandSVG(), Text: "95" + format.Pc + " band"})
	}
	all = append(all, doc.Mark{SVG: viz.KnotSVG(), Text: "knots"})
	if len(p.Curve.Bins) > 0 { // nil after the data were deleted
		all = append(all, doc.Mark{SVG: viz.RugSVG(), Text: "training rows"})
	}
	return all
}

// say describes the curves and the source of their bands.
func (d Curves) say() string {
	text := "What a column that is a curve adds to the score, relative to its median: a natural cubic spline, straight " +
		"beyond its outer knots."
	switch {
	case d.Refits != nil && len(d.Refits.Splines) > 0:
		text += " Bands: 95" + format.Pc + " percentile intervals at each value over " +
			phrase.Int(d.Refits.Replicates) +
			" bootstrap samples, knots and all else learned again in each; the penalty draws curves towards flat, and so " +
			"their bands."
	case d.Without != "":
		text += " " + d.Without
	default:
		text += " The bootstrap adds a band."
	}
	return text
}

// sayOf describes one curve.
func (d Curves) sayOf(c engine.SplineCurve) string {
	text := phrase.UpperFirst(runspec.KnotWords(len(c.Knots))) + "; 0 at the median " + viz.SplineValue(c, c.Reference) +
		"."
	k := c.Contrasts[len(c.Contrasts)-1]
	between := "From " + viz.SplineValue(c, k.From) + " to " + viz.SplineValue(c, k.To) + ", its quartiles: "
	value, odds := d.intervals(c, len(c.Contrasts)-1)
	if k.OddsRatio != nil {
		return text + " " + between + "odds ratio " + oddsWithCI(*k.OddsRatio, odds) + "."
	}
	return text + " " + between + viz.Number(k.Effect, 3) + " of the score" + withSpace(effectLimits(value)) + "."
}

// table lists the effect between quartiles (Harrell).
func (d Curves) table() doc.Table {
	t := doc.Table{Label: "What the curves add", Columns: []doc.Column{{Label: "Column"}, {Label: "Value"},
		{Label: "Against"}, {Label: "Score", Number: true}}}
	odds := d.Result.Splines[0].Scale > 0
	if odds {
		t.Columns = append(t.Columns, doc.Column{Label: "Odds ratio", Number: true})
	}
	for _, c := range d.Result.Splines {
		names := [][2]string{{"lower quartile", "median"}, {"upper quartile", "median"}, {"upper quartile", "lower quartile"}}
		for i, k := range c.Contrasts {
			value, ratio := d.intervals(c, i)
			row := doc.Row{Cells: []doc.Cell{{Value: c.Column}, {Value: viz.SplineValue(c, k.To), Note: names[i][0]},
				{Value: viz.SplineValue(c, k.From), Note: names[i][1]},
				{Value: viz.Number(k.Effect, 3), Note: effectLimits(value)}}}
			if odds {
				cell := doc.Cell{}
				if k.OddsRatio != nil {
					cell = doc.Cell{Value: inOdds(*k.OddsRatio), Note: oddsLimits(ratio)}
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Note = "Quartiles and medians of the training rows. One unit of a curve has no odds ratio of its own: it " +
		"depends on where one stands."
	return t
}

// band returns the bootstrap band of a curve, nil without one.
func (d Curves) band(c engine.SplineCurve) *engine.SplineBand {
	if d.Refits == nil {
		return nil
	}
	for i := range d.Refits.Splines {
		if b := &d.Refits.Splines[i]; b.Column == c.Column && len(b.Low) == len(c.X) {
			return b
		}
	}
	return nil
}

// intervals are the intervals of a contrast, empty without a bootstrap.
func (d Curves) intervals(c engine.SplineCurve, i int) (value, odds stat.Estimate) {
	if b := d.band(c); b != nil && i < len(b.Contrasts) && i < len(b.OddsRatio) {
		return b.Contrasts[i], b.OddsRatio[i]
	}
	return
}

func effectLimits(e stat.Estimate) string {
	if e.Low == nil || e.High == nil {
		return ""
	}
	return "(" + viz.Range(viz.Number(*e.Low, 3), viz.Number(*e.High, 3)) + ")"
}

func oddsLimits(e stat.Estimate) string {
	if e.Low == nil || e.High == nil {
		return ""
	}
	return "(" + viz.Range(inOdds(*e.Low), inOdds(*e.High)) + ")"
}

func oddsWithCI(v float64, e stat.Estimate) string {
	return inOdds(v) + withSpace(oddsLimits(e))
}

// inOdds writes an odds ratio of two distant values with two decimals, or two digits if it is small.
func inOdds(v float64) string {
	switch {
	case v < 0.0995:
		return viz.Short(v, 2)
	case v != 1 && viz.Ratio(v) == viz.Ratio(1):
		return viz.OddsNumber(v)
	}
	return viz.Ratio(v)
}

func withSpace(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

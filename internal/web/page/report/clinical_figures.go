package report

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/engine/spline"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// decisionFigures are the decision curve and its table at the boundaries; of a model
// without probabilities, nothing.
func (c Clinical) decisionFigures() (out doc.Figures) {
	if c.Statistics.Judged.Brier.Value != nil && !c.Result.NoPredictor && len(c.Statistics.Decisions) > 0 {
		curve := doc.Figure{Title: "Decision curve", Say: "Net benefit in true events per row, less false alarms at the " +
			"threshold’s odds. Vertical lines: the boundaries.",
			SVG: viz.DecisionSVG(c.Statistics.Decisions, c.Result.Boundaries, 0),
			Legend: []doc.Mark{{SVG: viz.LineSVG("s1"), Text: "this model"},
				{SVG: viz.LineSVG("s2"), Text: "act on all"}, {SVG: viz.LineSVG("step"), Text: "act on none"}}}
		curve.Reveals = ofBands
		curve.Instead = func(r mask.Released) doc.Figure {
			coarse := curve
			coarse.Reveals = ofEvents // acting on all gains what the share of events says
			if n := r[bands].Total.N.Low; n > 0 {
				coarse.SVG = viz.DecisionSVG(c.Statistics.Decisions, c.Result.Boundaries, leastRows/float64(n))
				coarse.Say += " Rounded to the worth of " + viz.Count(leastRows) + " rows, since counts are masked."
			}
			return coarse
		}
		out = append(out, curve)
	}
	if t := c.benefits(); len(t.Rows) > 0 {
		out = append(out, doc.Figure{Title: "Net benefit at the boundaries", Table: &t, Reveals: ofBands})
	}
	return out
}

// benefits is the decision curve at the boundaries.
func (c Clinical) benefits() doc.Table {
	t := doc.Table{Label: "Net benefit at the boundaries", Class: "tbl-tight", Columns: []doc.Column{
		{Label: "From"}, {Label: "Net benefit", Unit: "per 100", Number: true}, {Label: "All", Unit: "per 100", Number: true},
		{Label: "Avoided", Unit: "per 100", Number: true}}}
	for _, pi := range c.Result.Boundaries {
		for _, d := range c.Statistics.Decisions {
			if math.Abs(d.Threshold-pi) < 1e-9 {
				t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: viz.Short(100*pi, 4) + format.Pc},
					estimated(d.Model, inPercent), {Value: d.All.Value, Format: inPercent}, estimated(d.Avoided, doc.To(1))}})
			}
		}
	}
	t.Note = "Net benefit of acting from the boundary on, 95" + format.Pc +
		" CI; of acting on all; interventions avoided against that."
	return t
}

// calibrationFigure is the smooth curve for print; none without probabilities or
// enough rows of both classes.
func (c Clinical) calibrationFigure() doc.Figures {
	s := c.Statistics.Calibration
	if s == nil || len(s.Points) == 0 {
		return nil
	}
	say := "Smooth curve with its 95" + format.Pc +
		" band over the diagonal. Below: how often each risk was predicted, in steps of " + viz.Count(2*leastRows) + " rows."
	return doc.Figures{{Title: "Calibration", Say: say, SVG: viz.CalibrationSVG(*s, 2*leastRows), Reveals: ofEvents,
		Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: c.event()}, {SVG: viz.DotSVG("c0"), Text: "others"}}}}
}

// mostScales bounds the predictors of a points chart.
const mostScales = 15

// pointsPlan is a linear model in points.
type pointsPlan struct {
	scales []viz.PointScale
	total  viz.PointScale
	most   float64 // largest sum
	unit   float64 // score of a point
}

// pointsFigure draws the model as a points chart, "" where it is none: trees,
// kernels, curves that turn, or more predictors than one reads.
func (c Clinical) pointsFigure() string {
	plan := c.points()
	if plan == nil {
		return ""
	}
	return viz.PointsSVG(plan.scales, plan.total, plan.most)
}

func (c Clinical) pointsSay() string {
	return "Each value adds the points above it; the sum says the band. Missing values take the median and, where the " +
		"model has such a term, what the equation adds for them. Exact numbers: the equation and model.json."
}

// points puts the linear model into points: the predictor that can add most has
// 100.
func (c Clinical) points() *pointsPlan {
	m := c.Model
	if m == nil || len(c.Result.Coefficients) == 0 || m.Kind != "linear" ||
		len(m.Terms) != len(c.Result.Coefficients)-1 || len(m.Columns) > mostScales {
		return nil
	}
	plan := &pointsPlan{}
	base, reach := c.Result.Coefficients[0].Value, 0.0
	for _, col := range m.Columns {
		s := c.pointScale(col)
		if i := slices.IndexFunc(c.Result.Splines, func(s engine.SplineCurve) bool { return s.Column == col.Name }); i >= 0 {
			if s = c.curveScale(col, c.Result.Splines[i]); s == nil {
				return nil
			}
		}
		if s == nil {
			continue
		}
		lo, hi := s.Points[0], s.Points[0]
		for _, v := range s.Points {
			lo, hi = min(lo, v), max(hi, v)
		}
		for i := range s.Points {
			s.Points[i] -= lo
		}
		base += lo
		reach = max(reach, hi-lo)
		plan.most += hi - lo
		plan.scales = append(plan.scales, *s)
	}
	if len(plan.scales) == 0 || !(reach > 0) {
		return nil
	}
	plan.unit = reach / 100
	plan.most /= plan.unit
	for k := range plan.scales {
		for i := range plan.scales[k].Points {
			plan.scales[k].Points[i] /= plan.unit
		}
	}
	for k, delta := range c.Result.Delta {
		plan.total.Points = append(plan.total.Points, (delta-base)/plan.unit)
		plan.total.Labels = append(plan.total.Labels, viz.Short(100*c.Result.Boundaries[k], 4)+format.Pc)
	}
	return plan
}

// pointScale is what the values of one column add to the score. The ends of a
// number come from its quartiles, so that no row's own value shows.
func (c Clinical) pointScale(col prep.Column) *viz.PointScale {
	s := &viz.PointScale{Name: col.Name}
	beta := func(kind, level string) (float64, bool) {
		for k, t := range c.Model.Terms {
			if t.Column == col.Name && t.Kind == kind && t.Level == level {
				return c.Result.Coefficients[k+1].Value, true
			}
		}
		return 0, false
	}
	if slope, ok := beta("value", ""); ok {
		low, high := c.usual(col)
		for _, v := range viz.NewScale(low, high, 5).Ticks {
			s.Labels, s.Points = append(s.Labels, viz.Short(v, 4)), append(s.Points, slope*v)
		}
		return s
	}
	if col.Kind == prep.Number {
		return nil
	}
	s.Labels, s.Points = []string{col.Reference}, []float64{0}
	for _, level := range col.Levels {
		if v, ok := beta("level", level); ok {
			s.Labels, s.Points = append(s.Labels, level), append(s.Points, v)
		}
	}
	if v, ok := beta("other", ""); ok {
		s.Labels, s.Points = append(s.Labels, "(other)"), append(s.Points, v)
	}
	if v, ok := beta("missing", ""); ok {
		s.Labels, s.Points = append(s.Labels, "missing"), append(s.Points, v)
	}
	return s
}

// curveScale is pointScale of a curve: what the equation's terms add. Nil where
// it turns, since a line on which values run back and forth misleads.
func (c Clinical) curveScale(col prep.Column, curve engine.SplineCurve) *viz.PointScale {
	s := &viz.PointScale{Name: col.Name}
	low, high := bulk(curve)
	for _, v := range viz.NewScale(low, high, 5).Ticks {
		sum := 0.0
		for k, t := range c.Model.Terms {
			switch {
			case t.Column != col.Name:
			case t.Kind == prep.Value:
				sum += c.Result.Coefficients[k+1].Value * v
			case t.Kind == prep.Spline:
				sum += c.Result.Coefficients[k+1].Value * spline.Term(v, col.Knots, t.Knot-1)
			}
		}
		s.Labels, s.Points = append(s.Labels, viz.SplineValue(curve, v)), append(s.Points, sum)
	}
	down := slices.IsSortedFunc(s.Points, func(a, b float64) int { return cmp.Compare(b, a) })
	if !slices.IsSorted(s.Points) && !down {
		return nil
	}
	return s
}

// usual is the range of a number in both classes: one quartile range beyond the
// quartiles, within the training range.
func (c Clinical) usual(col prep.Column) (low, high float64) {
	for _, t := range c.Result.Table1 {
		if t.Name == col.Name && t.Level == "" {
			q1, q3 := min(t.Negative[0], t.Positive[0]), max(t.Negative[2], t.Positive[2])
			if q3 > q1 {
				return max(col.Min, q1-(q3-q1)), min(col.Max, q3+(q3-q1))
			}
		}
	}
	return col.Min, col.Max
}

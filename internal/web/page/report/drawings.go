package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/spline"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// Curves are the fitted curves of a run with their bootstrap bands; nil without curves.
func (c Clinical) Curves() doc.Curves {
	d := resultview.Curves{Result: c.Result, Refits: c.checked(), Print: bulk, Step: 2 * leastRows}
	if c.Origin != nil {
		d.Without = "A recalibrated run has no refits of its own, and so no bands: see its parent."
	}
	return d.Nodes()
}

// bulk is the range of a curve that contains most values: one interquartile range beyond the quartiles, extended to
// the knots and limited to the range of the data.
func bulk(c engine.SplineCurve) (from, to float64) {
	wide := c.Quartiles[1] - c.Quartiles[0]
	from, to = min(c.Quartiles[0]-wide, c.Knots[0]), max(c.Quartiles[1]+wide, c.Knots[len(c.Knots)-1])
	return max(from, c.X[0]), min(to, c.X[len(c.X)-1])
}

// forestShown bounds the terms of a forest plot; those with odds ratios furthest from 1 are drawn.
const forestShown = 30

// forest draws the odds ratios for wide and narrow screens; nil where the model has none.
func (c Clinical) forest() doc.Node {
	all := c.oddsShown()
	if len(all) == 0 {
		return nil
	}
	return doc.Drawing{Wide: viz.ForestOddsSVG(all), Narrow: viz.ForestOddsNarrowSVG(all), Reveals: mask.NoCount}
}

// oddsShown selects the odds ratios to draw.
func (c Clinical) oddsShown() []viz.Odds {
	b := c.checked()
	if b == nil {
		return nil
	}
	var all []viz.Odds
	of := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, k := range b.Coefficients {
		if k.OddsRatio.Value != nil {
			all = append(all, viz.Odds{Name: k.Name, Value: *k.OddsRatio.Value, Low: of(k.OddsRatio.Low),
				High: of(k.OddsRatio.High)})
		}
	}
	if len(all) > forestShown {
		slices.SortStableFunc(all, func(a, b viz.Odds) int {
			return cmp.Compare(math.Abs(math.Log(b.Value)), math.Abs(math.Log(a.Value)))
		})
		all = all[:forestShown]
	}
	return all
}

// forestSay names the kind of the intervals.
func (c Clinical) forestSay() string {
	if len(c.oddsShown()) == 0 {
		return "No odds ratios to draw." + resultview.OddsNote(c.Result, c.Run.Spec)
	}
	say := "Odds ratios with percentile intervals over the bootstrap samples. The penalty shrinks both towards 1."
	if scale := c.Model.LinkScale; c.Result.Link.ID == "logistic-scaled" && scale > 0 {
		say += " The link is σ(" + viz.Short(scale, 3) + "·f), so an odds ratio is exp(" + viz.Short(scale, 3) + "·θ)."
	}
	return say + c.missedSay()
}

// mostScales bounds the predictors of a nomogram.
const mostScales = 15

// pointsPlan is a linear model converted to points.
type pointsPlan struct {
	viz.PointsChart
	columns []prep.Column // the columns with a scale
	least   []float64     // contribution of each column to the score at 0 points
	unit    float64       // score per point
}

// pointsFigure draws the nomogram in a given width; "" where there is none.
func (c Clinical) pointsFigure(width float64) string {
	plan, _ := c.points()
	if plan == nil {
		return ""
	}
	return viz.PointsSVG(plan.PointsChart, width)
}

func (c Clinical) pointsSay() string {
	return "Each value adds the points above it; the sum gives the band. A missing value counts as the median, plus " +
		"the term for missing values where the model has one; terms of fewer than " + phrase.Int(leastRows) + " rows are " +
		"not drawn. Scales may leave out extreme values, and points are rounded. Exact numbers: the equation and " +
		"model.json."
}

// points converts the linear model to points: the predictor with the widest range of contributions gets 100. Without
// a plan it returns a sentence that says why a nomogram cannot show the model.
func (c Clinical) points() (plan *pointsPlan, why string) {
	m := c.Model
	switch {
	case m == nil || m.Kind != "linear" || len(m.Terms) != len(c.Result.Coefficients)-1:
		return nil, "No nomogram: it adds up one number per predictor, which this model does not do."
	case len(m.Columns) > mostScales:
		return nil, fmt.Sprintf("No nomogram: it would need %d scales, and more than %d cannot be read.", len(m.Columns),
			mostScales)
	}
	plan = &pointsPlan{}
	base, reach := c.Result.Coefficients[0].Value, 0.0
	for _, col := range m.Columns {
		s := c.pointScale(col)
		if i := slices.IndexFunc(c.Result.Splines, func(s engine.SplineCurve) bool { return s.Column == col.Name }); i >= 0 {
			if s = c.curveScale(col, c.Result.Splines[i]); s == nil {
				return nil, "No nomogram: the curve of " + phrase.Quote(col.Name) + " goes up and down, so two values would " +
					"stand at one place of its scale."
			}
		}
		if s == nil {
			continue
		}
		lo, hi := slices.Min(s.Points), slices.Max(s.Points)
		if v, has := c.missingNumber(col); has {
			s.Missing = &v
			lo, hi = min(lo, v), max(hi, v)
			*s.Missing -= lo
		}
		for i := range s.Points {
			s.Points[i] -= lo
		}
		base += lo
		reach = max(reach, hi-lo)
		plan.Most += hi - lo
		plan.Scales, plan.columns, plan.least = append(plan.Scales, *s), append(plan.columns, col), append(plan.least, lo)
	}
	if len(plan.Scales) == 0 || !(reach > 0) {
		return nil, "No nomogram: no predictor changes the score."
	}
	plan.unit = reach / 100
	plan.Most /= plan.unit
	for k := range plan.Scales {
		for i := range plan.Scales[k].Points {
			plan.Scales[k].Points[i] /= plan.unit
		}
		if v := plan.Scales[k].Missing; v != nil {
			*v /= plan.unit
		}
	}
	plan.Boundaries = c.Result.Boundaries
	for k, delta := range c.Result.Delta {
		plan.Sums.Points = append(plan.Sums.Points, (delta-base)/plan.unit)
		plan.Sums.Labels = append(plan.Sums.Labels, viz.Short(100*c.Result.Boundaries[k], 4)+format.Pc)
	}
	return plan, ""
}

// missingNumber is what a missing number adds to the score, where the model has a term for it that rests on enough
// rows: a few would decide the length of all scales.
func (c Clinical) missingNumber(col prep.Column) (sum float64, has bool) {
	return c.contribution(col, ""), col.Kind == prep.Number && c.placed(col, prep.MissingLevel)
}

// placed reports whether the model has a term of this kind for a column that rests on leastRows rows or more, as far as
// the model tells.
func (c Clinical) placed(col prep.Column, kind string) bool {
	return slices.ContainsFunc(c.Model.Terms, func(t prep.Term) bool {
		return t.Column == col.Name && t.Kind == kind &&
			(t.Mean == 0 || t.Mean*float64(c.Result.Flow.Trained) >= leastRows)
	})
}

// pointScale is the contribution of one column to the score. The ends of a numeric scale come from quartiles, so
// that they disclose no single row.
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
	s.Labels, s.Points, s.Levels = []string{col.Reference}, []float64{0}, true
	for _, level := range col.Levels {
		if v, ok := beta("level", level); ok {
			s.Labels, s.Points = append(s.Labels, level), append(s.Points, v)
		}
	}
	if v, ok := beta("other", ""); ok {
		s.Labels, s.Points = append(s.Labels, "(other)"), append(s.Points, v)
	}
	if v, ok := beta("missing", ""); ok && c.placed(col, prep.MissingLevel) {
		s.Labels, s.Points = append(s.Labels, "missing"), append(s.Points, v)
	}
	return s
}

// curveScale is pointScale for a spline. It is nil where the curve is not monotone: on such a scale two values
// would have the same points, which misleads.
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

// usual is the range of a numeric column over both classes: one interquartile range beyond the quartiles, limited
// to the range of training.
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

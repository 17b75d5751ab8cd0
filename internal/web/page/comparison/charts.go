package comparison

import (
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// figures are the overlaid curves that at least one run has.
func (v Page) figures() (all doc.Figures) {
	for _, draw := range []func() (doc.Figure, bool){v.rocFigure, v.calibrationFigure, v.densityFigure, v.borderFigure,
		v.lossFigure, v.weightFigure, v.tuningFigure} {
		if f, ok := draw(); ok {
			all = append(all, f)
		}
	}
	return all
}

// metric finds a metric by its id.
func (v Page) metric(id string) (compare.Metric, bool) {
	k := slices.IndexFunc(v.Metrics, func(m compare.Metric) bool { return m.ID == id })
	if k < 0 {
		return compare.Metric{}, false
	}
	return v.Metrics[k], true
}

func (v Page) metricPer(id string, decimals int) string {
	m, ok := v.metric(id)
	if !ok {
		return ""
	}
	return v.per(func(i int) string {
		if m.Values[i] == nil {
			return ""
		}
		return viz.NumberOf(m.Values[i], decimals)
	})
}

func (v Page) rocFigure() (doc.Figure, bool) {
	o := viz.Overlay{ID: "roc", Title: "ROC curve", Diagonal: "no better than chance",
		X: viz.Axis{Name: "1 − specificity, %", Ends: [2]float64{0, 100}},
		Y: viz.Axis{Name: "sensitivity, %", Ends: [2]float64{0, 100}},
		Sentence: "Sensitivity against 1 − specificity; closer to the upper left is better. AUC " +
			v.metricPer("auc", 3) + ".",
		Head: []string{"Run", "Sensitivity, %, at 1 − specificity 5" + format.Pc, "At 10" + format.Pc,
			"At 20" + format.Pc}}
	v.each(func(i int) {
		points := v.Curves[i].ROC
		if len(points) == 0 {
			return
		}
		t := viz.Trace{Name: v.Names[i], Mark: runMarks[i]}
		for _, p := range points {
			t.X, t.Y = append(t.X, 100*p.FPR), append(t.Y, 100*p.TPR)
		}
		o.Lines = append(o.Lines, t)
		o.Rows = append(o.Rows, []string{v.Names[i], viz.Number(between(t.X, t.Y, 5), 1),
			viz.Number(between(t.X, t.Y, 10), 1), viz.Number(between(t.X, t.Y, 20), 1)})
	})
	return doc.Figure{Lines: &o, Reveals: mask.OfRows}, len(o.Lines) > 0
}

// between interpolates a curve at x; at a vertical step, the upper end.
func between(xs, ys []float64, x float64) float64 {
	for i := len(xs) - 1; i >= 0; i-- {
		switch {
		case xs[i] > x:
		case i == len(xs)-1 || xs[i] == x || xs[i+1] == xs[i]:
			return ys[i]
		default:
			return ys[i] + (ys[i+1]-ys[i])*(x-xs[i])/(xs[i+1]-xs[i])
		}
	}
	return math.NaN()
}

func (v Page) calibrationFigure() (doc.Figure, bool) {
	o := viz.Overlay{ID: "calibration", Title: "Calibration", Diagonal: "perfect",
		X:    viz.Axis{Name: "predicted risk, %", Ends: [2]float64{0, 100}},
		Y:    viz.Axis{Name: "observed, %", Ends: [2]float64{0, 100}},
		Head: []string{"Run", "Predicted risk, %", "Observed, %", "95" + format.Pc + " band"}}
	v.each(func(i int) {
		points := v.Curves[i].Calibration
		if len(points) == 0 {
			return
		}
		t := viz.Trace{Name: v.Names[i], Mark: runMarks[i]}
		for k, p := range points {
			t.X, t.Y = append(t.X, 100*p.Predicted), append(t.Y, 100*p.Observed)
			if k%10 == 5 {
				o.Rows = append(o.Rows, []string{v.Names[i], viz.Percent(p.Predicted, 1), viz.Percent(p.Observed, 1),
					viz.Range(viz.Percent(p.Low, 1), viz.Percent(p.High, 1))})
			}
		}
		o.Lines = append(o.Lines, t)
	})
	o.Sentence = "Observed against predicted risk, smoothed. Slope " + v.metricPer("calibration_slope", 2) +
		"; a slope above 1 means that predictions are not extreme enough, one below 1 that they are too extreme " +
		"(overfitting). Performance of each run has its interval."
	if n := len(v.runs) - len(o.Lines); n > 0 {
		o.Sentence += " Runs without probabilities and recalibrated ones have no curve."
	}
	o.Sentence += " " + stat.CurveEnds
	return doc.Figure{Lines: &o, Reveals: mask.OfRows}, len(o.Lines) > 0
}

// densityFigure draws the density of the non-events upside down below that of the events.
func (v Page) densityFigure() (doc.Figure, bool) {
	o := viz.Overlay{ID: "scores", Title: "Scores of events and non-events", Above: "events", Below: "non-events",
		X: viz.Axis{Name: "score f(x)"}, Y: viz.Axis{Bare: true}, Head: []string{"Run", "Group", "Rows", "Median score"}}
	one, peak := true, 0.0
	left, right := math.Inf(1), math.Inf(-1)
	v.each(func(i int) {
		r := v.runs[i].Result
		one = one && r.Link.ID == v.runs[v.Base].Result.Link.ID && r.Method == v.runs[v.Base].Result.Method
		for _, level := range []string{r.Positive.String(), r.Negative.String()} {
			k := slices.IndexFunc(r.Density, func(d engine.Density) bool {
				return d.Level == level && len(d.X) > 0 && len(d.X) == len(d.Y)
			})
			if level == "" || k < 0 {
				continue
			}
			d := r.Density[k]
			peak, left, right = max(peak, slices.Max(d.Y)), min(left, d.X[0]), max(right, d.X[len(d.X)-1])
			o.Lines = append(o.Lines, viz.Trace{Name: v.Names[i], Mark: runMarks[i], X: d.X,
				Y: mirrored(d.Y, level == r.Negative.String()), Continuation: level == r.Negative.String()})
			o.Rows = append(o.Rows, []string{v.Names[i], level, phrase.Int(d.N), viz.Number(d.Median, 2)})
		}
	})
	o.X.Ends, o.Y.Ends = [2]float64{left, right}, [2]float64{-1.1 * peak, 1.1 * peak}
	o.Sentence = "Density of the score, events upwards, non-events downwards; less overlap is better."
	if !one {
		o.Sentence += " Scores of different losses are on different scales: compare shapes, not positions."
	}
	return doc.Figure{Lines: &o, Reveals: mask.OfRows}, len(o.Lines) > 0
}

func mirrored(y []float64, down bool) []float64 {
	if !down {
		return y
	}
	out := make([]float64, len(y))
	for i := range y {
		out[i] = -y[i]
	}
	return out
}

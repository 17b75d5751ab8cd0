package comparison

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/compare"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/page/explore"
)

// lossFigure draws the losses that are functions of the margin; runs with the same loss share a line.
func (v Page) lossFigure() (doc.Figure, bool) {
	p := viz.Panel{ID: "margin-loss", Title: "Loss", X: [2]float64{-explore.MarginEnd, explore.MarginEnd},
		Y: [2]float64{0, lossTop}, XName: "margin z", NoCross: true, Short: false}
	head, named := []string{"Margin z"}, map[string]bool{}
	var fs []func(float64) float64
	var legend []viz.LegendItem
	v.each(func(i int) {
		s, ok := lossOf(v.runs[i].Spec.Model)
		if !ok || named[s.Name] {
			return
		}
		named[s.Name] = true
		p.Curves = append(p.Curves, viz.Curve{ID: v.IDs[i], Name: s.Name, Mark: runMarks[i], F: s.Value, Kinks: s.Kinks})
		head, fs = append(head, s.Name), append(fs, s.Value)
		legend = append(legend, viz.LegendItem{Series: s.Name, Text: s.Name, Mark: runMarks[i]})
	})
	if len(p.Curves) < 2 {
		return doc.Figure{}, false
	}
	p.Sentence = "Loss of one row at margin z. A loss that levels off to the left down-weights mislabelled rows."
	p.Label = p.Title + " over the margin from −8 to 8. " + p.Sentence
	f := viz.Lines(p).Figure
	f.Legend, f.Head, f.Rows = legend, head, lossRows(fs)
	return doc.Figure{Chart: &f, Reveals: mask.NoCount}, true
}

// lossRows tabulates the curves at every second margin.
func lossRows(fs []func(float64) float64) (rows [][]string) {
	for z := -explore.MarginEnd; z <= explore.MarginEnd; z += 2 {
		row := []string{viz.Number(z, 0)}
		for _, f := range fs {
			row = append(row, viz.Number(f(z), 3))
		}
		rows = append(rows, row)
	}
	return rows
}

// lossOf is the loss of a linear or kernel model, as in the explorer.
func lossOf(m fit.Spec) (explore.Shape, bool) {
	f, ok := loss.FamilyByID(m.Loss)
	if !ok || f.Margin == nil || f.Kind != loss.KindMargin {
		return explore.Shape{}, false
	}
	spec := explore.Spec{ID: m.Loss}
	for _, p := range f.Params {
		v, ok := m.Params[p.Name]
		if !ok {
			break
		}
		spec.Args = append(spec.Args, fmt.Sprint(v))
	}
	s, err := explore.NewShape(spec)
	return s, err == nil
}

// weightFigure overlays the histograms of the row weights of the runs.
func (v Page) weightFigure() (doc.Figure, bool) {
	o := viz.Overlay{ID: "kept", Title: "How much of each row was kept", Steps: true,
		X: viz.Axis{Name: "weight of a row, 1 = all of it"}, Y: viz.Axis{},
		Head: []string{"Run", "Rows with a weight", "Median", "Under ½, %", "Rows with added noise", "Their median",
			"Median of the others"}}
	top, flips := 1.0, false
	for _, w := range v.Weights {
		top, flips = max(top, w.Top), flips || w.Flipped > 0
	}
	o.X.Ends = [2]float64{0, top}
	highest := 0.0
	v.each(func(i int) {
		w := v.Weights[i]
		if w.N == 0 {
			return
		}
		x, y := outline(w)
		highest = max(highest, slices.Max(y))
		o.Lines = append(o.Lines, viz.Trace{Name: v.Names[i], Mark: runMarks[i], X: x, Y: y})
		o.Rows = append(o.Rows, []string{v.Names[i], phrase.Int(w.N), viz.NumberOf(w.Median, 2), viz.Percent(w.Below,
			1),
			phrase.Int(w.Flipped), viz.NumberOf(w.FlipMedian, 2), viz.NumberOf(w.CleanMedian, 2)})
	})
	o.Y.Ends = [2]float64{0, viz.NewScale(0, max(highest, 1), 4).Max}
	o.Sentence = "% of rows by their weight in the fit; near 0 a row is down-weighted. Under half their " +
		"weight are " +
		v.per(func(i int) string {
			if v.Weights[i].N == 0 {
				return ""
			}
			return viz.Percent(v.Weights[i].Below, 1) + format.Pc
		}) + "."
	if flips {
		o.Sentence += " Median weight of the rows with added noise: " + v.per(func(i int) string {
			if v.Weights[i].FlipMedian == nil {
				return ""
			}
			return viz.NumberOf(v.Weights[i].FlipMedian, 2)
		}) + "."
	}
	if len(o.Lines) < len(v.runs) {
		o.Sentence += " Runs whose loss does not down-weight rows have no line."
	}
	return doc.Figure{Lines: &o, Reveals: mask.OfRows}, len(o.Lines) > 0
}

// outline is the outline of a histogram, in % of the rows.
func outline(w compare.Weights) (x, y []float64) {
	step := w.Top / float64(len(w.Shares))
	for k, s := range w.Shares {
		x, y = append(x, float64(k)*step, float64(k+1)*step), append(y, 100*s, 100*s)
	}
	return x, y
}

// tuningFigure overlays the choice of λ; each curve is shifted to have minimum 0, since the criteria differ.
func (v Page) tuningFigure() (doc.Figure, bool) {
	o := viz.Overlay{ID: "choice", Title: "Choice of the penalty", Dots: true, X: viz.Axis{Name: "penalty λ", Log: true},
		Head: []string{"Run", "λ", "Criterion", "Above its lowest"}}
	v.each(func(i int) {
		points := slices.DeleteFunc(slices.Clone(v.runs[i].Result.Tuning), func(p crossfit.TuningPoint) bool {
			return !(p.L2 > 0) || math.IsNaN(p.Mean) || math.IsInf(p.Mean, 0)
		})
		if len(points) < 2 {
			return
		}
		lowest := math.Inf(1)
		for _, p := range points {
			lowest = min(lowest, p.Mean)
		}
		t := viz.Trace{Name: v.Names[i], Mark: runMarks[i]}
		for _, p := range points {
			t.X, t.Y = append(t.X, p.L2), append(t.Y, p.Mean-lowest)
			o.Rows = append(o.Rows, []string{v.Names[i], viz.Short(p.L2, 3), viz.Number(p.Mean, 4),
				viz.Number(p.Mean-lowest, 4)})
		}
		o.Lines = append(o.Lines, t)
	})
	o.Sentence = "How much worse the cross-validated criterion is than at its own best λ. Used: " +
		v.per(func(i int) string {
			if !v.runs[i].Spec.Model.Penalised() {
				return ""
			}
			return viz.Short(v.runs[i].Result.L2, 3)
		}) + "."
	return doc.Figure{Lines: &o, Reveals: mask.OfRows}, len(o.Lines) > 0
}

// lossTop is the end of the loss axis, as in the explorer.
const lossTop = 4

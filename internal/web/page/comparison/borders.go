package comparison

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// borderFigure draws the borders of the bands or answers of each run, one over
// the other.
func (v Page) borderFigure() (viz.Figure, bool) {
	if v.plane == nil {
		return viz.Figure{}, false
	}
	across, up := v.plane.across, v.plane.up
	o := viz.Overlay{ID: "borders", Title: "Borders in the plane of " + across.Name + " and " + up.Name,
		X: viz.Axis{Name: across.Name + ", upwards " + up.Name, Ends: [2]float64{across.Min, across.Max}},
		Y: viz.Axis{Ends: [2]float64{up.Min, up.Max}}, Head: []string{"Run", across.Name, "Borders at " + up.Name}}
	v.each(func(i int) {
		t := v.plane.fields[i].trace()
		if len(t.X) == 0 {
			return
		}
		t.Name, t.Mark = v.Names[i], runMarks[i]
		o.Lines = append(o.Lines, t)
		for _, share := range []float64{.25, .5, .75} {
			x := across.Min + share*(across.Max-across.Min)
			o.Rows = append(o.Rows, []string{v.Names[i], viz.Short(x, 3), crossings(t, x)})
		}
	})
	o.Sentence = "Where the final fit of each run goes from one band or answer to the next, within the range of the " +
		"rows trained on." + v.plane.heldWords()
	if len(o.Lines) < len(v.runs) {
		o.Sentence += " Runs that give one answer everywhere have no line."
	}
	return viz.Overlaid(o), len(o.Lines) > 0
}

// trace joins the borders to one line, with a gap between one and the next.
func (f planeField) trace() (t viz.Trace) {
	for _, c := range f.borders {
		for _, line := range c.Lines {
			for _, p := range line {
				t.X, t.Y = append(t.X, p[0]), append(t.Y, p[1])
			}
			t.X, t.Y = append(t.X, math.NaN()), append(t.Y, math.NaN())
		}
	}
	return t
}

// contours are the borders between the bands or answers of a model.
func (f planeField) contours(m *engine.Model, across, up predictor) (all []viz.Contour) {
	field := make([]float64, len(f.nodes))
	add := func(kind, label string, level float64) {
		lines := viz.Isolines(field, f.side, [2]float64{across.Min, across.Max}, [2]float64{up.Min, up.Max}, level)
		if len(lines) > 0 {
			all = append(all, viz.Contour{Kind: kind, Label: label, Lines: lines})
		}
	}
	if m.Several() {
		for k := range m.Levels {
			for n, p := range f.nodes {
				field[n] = lead(p.Classes, k)
			}
			add("boundary", "", 0)
		}
		return all
	}
	for n, p := range f.nodes {
		field[n] = p.Score
	}
	for k, cut := range m.Delta {
		label := ""
		if k < len(m.Boundaries) {
			label = viz.Short(100*m.Boundaries[k], 3) + format.Pc
		}
		add("boundary", label, cut)
	}
	return all
}

// lead is how far a class is ahead as the answer: positive where it is given.
// Where the answer is that of the largest score the border runs between nodes.
func lead(p *engine.ClassPrediction, k int) float64 {
	best, other := p.Scores[k], math.Inf(-1)
	for c, v := range p.Scores {
		if c != k {
			other = max(other, v)
		}
	}
	if d := best - other; (d > 0) == (p.Class == k) && d != 0 {
		return max(-1, min(1, d))
	}
	if p.Class == k {
		return .01
	}
	return -.01
}

// crossings are the places at which the lines of a run cross an upright.
func crossings(t viz.Trace, x float64) string {
	var all []float64
	for i := 1; i < len(t.X); i++ {
		a, b := t.X[i-1]-x, t.X[i]-x
		if a < 0 == (b < 0) || math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		all = append(all, t.Y[i-1]+(t.Y[i]-t.Y[i-1])*a/(a-b))
	}
	slices.Sort(all)
	text := ""
	for i, y := range all {
		if i > 0 && y-all[i-1] < 1e-6*math.Abs(y) {
			continue // two classes share the border
		}
		if text != "" {
			text += "; "
		}
		text += viz.Short(y, 3)
	}
	return cmp.Or(text, viz.None)
}

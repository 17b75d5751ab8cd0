package comparison

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/viz"
)

// borderFigure overlays the decision boundaries of the runs.
func (v Page) borderFigure() (doc.Figure, bool) {
	if v.plane == nil {
		return doc.Figure{}, false
	}
	across, up := v.plane.across, v.plane.up
	o := viz.Overlay{ID: "borders", Title: "Decision boundaries in the plane of " + across.Name + " and " + up.Name,
		X:    viz.Axis{Name: across.Name + ", upwards " + up.Name, Ends: [2]float64{across.Min, across.Max}},
		Y:    viz.Axis{Ends: [2]float64{up.Min, up.Max}},
		Head: []string{"Run", across.Name, "Decision boundaries at " + up.Name}}
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
		"training rows." + v.plane.heldWords()
	if len(o.Lines) < len(v.runs) {
		o.Sentence += " Runs that give one answer everywhere have no line."
	}
	return doc.Figure{Lines: &o, Reveals: mask.NoCount}, len(o.Lines) > 0
}

// trace joins the boundaries to one line, with gaps between them.
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

// crossings lists where the boundaries of a run cross a vertical line.
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
			continue // two classes share this boundary
		}
		if text != "" {
			text += "; "
		}
		text += viz.Short(y, 3)
	}
	return cmp.Or(text, viz.None)
}

package explore

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
	"taper/web/templates"
)

func surrogateChart(st State, iv loss.Interval) chart {
	name, symbol := st.axisName()
	plus, minus := st.sides(iv.Value)
	p := viz.Panel{ID: "surrogate", Title: "Surrogate loss of the two classes", X: [2]float64{-MarginEnd, MarginEnd},
		Y:     [2]float64{0, st.top()},
		Cross: st.Z, CrossName: symbol, Inline: true}
	c := chart{height: "l", drag: "z", fit: true, inline: true, head: []string{upper(name)}}
	var fs []func(float64) float64
	add := func(id, label, mark string, f func(float64) float64, kinks []float64, quiet bool) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: label, Mark: mark, F: f, Kinks: kinks, Quiet: quiet})
		fs, c.head = append(fs, f), append(c.head, label)
		c.legend = append(c.legend, viz.LegendItem{Series: label, Text: label, Mark: mark})
	}
	add("plus", "event, φ⁺", "c1l", plus, st.kinksOfClass(iv, 1), false)
	add("minus", "non-event, φ⁻", "c0l", minus, st.kinksOfClass(iv, -1), false)
	for _, l := range st.With { // the smooth loss with these tangents
		s := mustShape(st.resolve(l))
		a, b := st.sides(func(_, z float64) float64 { return s.Value(z) })
		add("with+ "+l.String(), s.Name+", event", "c1b", a, s.Kinks, true)
		if st.Over == overScore {
			add("with- "+l.String(), s.Name+", non-event", "c0b", b, s.Kinks, true)
		}
	}
	if len(iv.Pi) <= 9 {
		for _, class := range []float64{1, -1} {
			f, ink := plus, "@c1"
			if class < 0 {
				f, ink = minus, "@c0"
			}
			for _, h := range st.kinksOfClass(iv, class) {
				p.Dots = append(p.Dots, viz.Dot{X: h, Y: f(h), Mark: ink})
			}
		}
		if st.Over == overScore {
			p.Flags = cutFlags(iv, p.Y[1])
		}
	}
	p.Sentence = "Piecewise linear: tangents of the logistic loss that meet at the hinges (circles). " +
		fmt.Sprintf("The loss is zero for events above f = %s and for non-events below f = %s.",
			viz.Number(iv.Hinge[len(iv.Pi)], 2), viz.Number(iv.Hinge[0], 2))
	if len(p.Flags) > 0 {
		p.Sentence += " Dashed: the cut-offs, in" + format.Pc + "."
	}
	p.Label = p.Title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-MarginEnd, MarginEnd, 1, fs...)
	c.plot.Legend = c.legend
	return c
}

// cutFlags are the cut-offs, labelled with their boundaries in per cent. Labels that would overlap on the narrowest
// plot (about 18 px per unit of the score) are placed lower, in up to five rows; further ones are in the table
// only.
func cutFlags(iv loss.Interval, top float64) []viz.Rule {
	texts, widest := make([]string, len(iv.Pi)), 0
	for k, pi := range iv.Pi {
		texts[k] = viz.Short(100*pi, 4)
		widest = max(widest, len(texts[k]))
	}
	var flags []viz.Rule
	for k, row := range viz.NameRows(iv.Delta, float64(7*widest+5)/18, 5) {
		f := viz.Rule{At: iv.Delta[k], Height: top * (.94 - .075*float64(max(row, 0))), Text: texts[k], Mark: "@ink-3"}
		if row < 0 {
			f.Text = ""
		}
		flags = append(flags, f)
	}
	return flags
}

func theoryChart(st State, iv loss.Interval) chart {
	name, symbol := st.axisName()
	plus, minus := st.sides(theory(iv))
	cuts := slices.Clone(iv.Delta)
	minusCuts := slices.Clone(iv.Delta)
	if st.Over == overMargin {
		slices.Reverse(minusCuts)
		for i := range minusCuts {
			minusCuts[i] = -minusCuts[i]
		}
	}
	p := viz.Panel{ID: "theory", Title: "The target loss", X: [2]float64{-MarginEnd, MarginEnd},
		Y: [2]float64{0, 2}, Cross: st.Z, CrossName: symbol, Short: true,
		Curves: []viz.Curve{{ID: "plus", Name: "event", Mark: "c1l", F: plus, Kinks: cuts},
			{ID: "minus", Name: "non-event", Mark: "c0l", F: minus, Kinks: minusCuts}}}
	if st.Over == overScore && len(iv.Pi) <= 9 {
		for k := range iv.Delta {
			ink := "@s1"
			if k%2 == 1 {
				ink = "@s2"
			}
			p.Ranges = append(p.Ranges, viz.Rule{At: iv.Hinge[k], To: iv.Hinge[k+1], Text: "δ" + subscript(k+1), Mark: ink})
		}
	}
	p.Sentence = "Loss of assigning each band: a step at each cut-off δ. "
	if st.Over == overScore {
		p.Sentence += "Any δ within its shaded range gives the same bands in the limit of large samples."
	} else {
		p.Sentence += "Over the margin the steps of the two classes differ unless the boundaries are symmetric."
	}
	p.Label = p.Title + ". " + p.Sentence
	c := chart{plot: viz.Lines(p), height: "s", drag: "z", head: []string{upper(name), "event", "non-event"},
		rows: gridded(-MarginEnd, MarginEnd, 1, plus, minus)}
	c.plot.Legend = []viz.LegendItem{{Series: "event", Text: "event", Mark: "c1l"},
		{Series: "non-event", Text: "non-event", Mark: "c0l"}}
	return c
}

func intervalPull(st State, iv loss.Interval) chart {
	name, symbol := st.axisName()
	plus, minus := st.sides(func(s, z float64) float64 { return math.Abs(iv.Slope(s, z)) })
	p := viz.Panel{ID: "influence", Title: "Influence", X: [2]float64{-MarginEnd, MarginEnd}, Y: [2]float64{0, 1},
		XName: name, Cross: st.Z, CrossName: symbol, Short: true,
		Curves: []viz.Curve{{ID: "plus", Name: "event", Mark: "c1l", F: plus, Kinks: st.kinksOfClass(iv, 1)},
			{ID: "minus", Name: "non-event", Mark: "c0l", F: minus, Kinks: st.kinksOfClass(iv, -1)}}}
	p.Sentence = "Gradient magnitude. Between two hinges it is 1 − π for an event and π for a non-event, with π " +
		"of the boundary between them."
	p.Label = "Influence over the axis. " + p.Sentence
	return chart{plot: viz.Lines(p), height: "s2", drag: "z", head: []string{upper(name), "event", "non-event"},
		rows: gridded(-MarginEnd, MarginEnd, 1, plus, minus)}
}

func intervalView(st State) view {
	iv := mustGeometry(st.Pi)
	v := view{st: st, title: "Interval surrogate"}
	v.lead = []chart{surrogateChart(st, iv)}
	v.more = []chart{theoryChart(st, iv), intervalPull(st, iv)}
	k := len(iv.Pi)
	v.strong = []string{boundary.Percents(iv.Pi)}
	v.rest = []string{"The fit targets only the boundaries ", ": it assigns one of " + strconv.Itoa(k+1) +
		" bands and no individual probability."}
	if k > boundary.Most {
		v.strong = []string{strconv.Itoa(k) + " boundaries"}
		v.rest = []string{"With ", " the tangents approach the logistic loss: one band per percentage point."}
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"},
		{Icon: "convex", Label: "piecewise linear"}},
		Text: "Convex: the fit does not depend on the starting point. Not bounded: the gradient of a badly " +
			"mislabelled example stays at up to " + viz.Short(max(1-iv.Pi[0], iv.Pi[k-1]), 3) + "."}
	v.cross = intervalCross(st, iv)
	v.formula = intervalFormula(st, iv)
	v.where = intervalWhere(iv)
	v.readout = intervalReadout(st, iv)
	return v
}

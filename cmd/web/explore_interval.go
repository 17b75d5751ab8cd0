package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/web/templates"
)

// The interval family: two surrogates made of straight pieces, the loss they
// stand in for, and the cut-offs they leave room for (docs/math.md §6).

func mustGeometry(pi []float64) loss.Interval {
	iv, err := loss.NewInterval(pi)
	if err != nil {
		panic("web: unchecked boundaries: " + err.Error())
	}
	return iv
}

// dense are the boundaries that stand for all of (0, 1).
func dense() []float64 {
	pi := make([]float64, 99)
	for k := range pi {
		pi[k] = float64(k+1) / 100
	}
	return pi
}

// sets are the boundaries offered by name.
var sets = []struct {
	Label string
	Pi    []float64
}{{"hard", []float64{.5}}, {"reject", []float64{.2, .8}}, {"weighted", []float64{.25}}, {"quartiles", []float64{.25, .5, .75}}, {".2, .4, .6", []float64{.2, .4, .6}}, {"dense", dense()}}

func setName(pi []float64) string {
	for _, s := range sets {
		if slices.Equal(s.Pi, pi) {
			return s.Label
		}
	}
	return ""
}

func intervalControls(st exploreState) []templates.ExploreControl {
	var links []templates.Link
	for _, s := range sets {
		to := st
		to.Pi = s.Pi
		links = append(links, templates.Link{Label: s.Label, URL: to.url()})
	}
	out := []templates.ExploreControl{
		{Title: "Template", Links: links, On: setName(st.Pi), Help: "boundaries"},
	}
	if st.View == "" {
		out = append(out, templates.ExploreControl{Choice: &templates.Choice{ID: "over", Name: "over", Label: "Axis", Options: []templates.Option{
			{Value: overScore, Label: "score f(x)", On: st.Over == overScore}, {Value: overMargin, Label: "margin z = y · f(x)", On: st.Over == overMargin}}}, Help: "interval"})
	}
	if len(st.Pi) > maxPageK {
		return out
	}
	for k, p := range st.Pi {
		low, high := room(st.Pi, k)
		s := templates.Slider{ID: "pi" + strconv.Itoa(k+1), Name: "pi", Symbol: "π", Sub: strconv.Itoa(k + 1), Note: viz.Short(100*p, 4) + unitPc,
			Min: .01, Max: .99, Step: .01, Value: p, Default: p, NoReset: true, Low: asTyped(low), High: asTyped(high),
			Hint:   boundaryHint(st, k),
			Spoken: fmt.Sprintf("Boundary %d at %s percent, cut-off at score %s", k+1, viz.Short(100*p, 4), viz.Number(mustGeometry(st.Pi).Delta[k], 2))}
		if len(st.Pi) > 1 {
			less := st
			less.Pi = slices.Delete(slices.Clone(st.Pi), k, k+1)
			s.Extra = templates.VisitButton(less.url(), "bad", "Remove the boundary at "+viz.Short(100*p, 4)+unitPc)
		}
		out = append(out, templates.ExploreControl{Slider: roomy(s), Help: "boundaries"})
	}
	if len(st.Pi) < maxPageK {
		more := st
		more.Pi = widest(st.Pi)
		out = append(out, templates.ExploreControl{Links: []templates.Link{{Label: "Add a boundary", URL: more.url()}}, Button: true, Help: "boundaries"})
	}
	return out
}

// sides are the two classes' functions on the axis of the page.
func (st exploreState) sides(f func(s, z float64) float64) (plus, minus func(x float64) float64) {
	if st.Over == overMargin {
		return func(z float64) float64 { return f(1, z) }, func(z float64) float64 { return f(-1, z) }
	}
	return func(x float64) float64 { return f(1, x) }, func(x float64) float64 { return f(-1, -x) }
}

// kinksOfClass are a class' hinges on the axis of the page.
func (st exploreState) kinksOfClass(iv loss.Interval, s float64) []float64 {
	k := len(iv.Pi)
	if s > 0 {
		return iv.Hinge[1:]
	}
	out := slices.Clone(iv.Hinge[:k])
	if st.Over == overMargin {
		slices.Reverse(out)
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

func (st exploreState) axisName() (name, symbol string) {
	if st.Over == overMargin {
		return "margin z = y · f(x)", "z"
	}
	return "score f(x)", "f"
}

func intervalView(st exploreState) exploreView {
	iv := mustGeometry(st.Pi)
	v := exploreView{st: st, title: "Interval loss"}
	v.lead = []exploreChart{surrogateChart(st, iv)}
	v.more = []exploreChart{theoryChart(st, iv), intervalPull(st, iv)}
	k := len(iv.Pi)
	v.strong = []string{percents(iv.Pi)}
	v.rest = []string{"The fit spends all its effort at ", ": it names one of " + strconv.Itoa(k+1) + " bands and never a single percentage."}
	if k > maxPageK {
		v.strong = []string{strconv.Itoa(k) + " boundaries"}
		v.rest = []string{"With ", " the pieces close up to the logistic loss: an interval for every percentage."}
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"}, {Icon: "convex", Label: "piecewise linear"}},
		Text: "Convex, so a fit has one minimum, and not bounded: one absurd label keeps pulling with slope up to " + viz.Short(max(1-iv.Pi[0], iv.Pi[k-1]), 3) + "."}
	v.cross = intervalCross(st, iv)
	v.formula = intervalFormula(st, iv)
	v.where = intervalWhere(iv)
	v.readout = intervalReadout(st, iv)
	return v
}

func surrogateChart(st exploreState, iv loss.Interval) exploreChart {
	name, symbol := st.axisName()
	plus, minus := st.sides(iv.Value)
	p := viz.Panel{ID: "surrogate", Title: "Surrogate loss of the two classes", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, st.top()},
		Cross: st.Z, CrossName: symbol, Inline: true}
	c := exploreChart{height: "l", drag: "z", fit: true, inline: true, head: []string{upper(name)}}
	var fs []func(float64) float64
	add := func(id, label, mark string, f func(float64) float64, kinks []float64, quiet bool) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: label, Mark: mark, F: f, Kinks: kinks, Quiet: quiet})
		fs, c.head = append(fs, f), append(c.head, label)
		c.legend = append(c.legend, viz.LegendItem{Series: label, Text: label, Mark: mark})
	}
	add("plus", "event, φ⁺", "c1l", plus, st.kinksOfClass(iv, 1), false)
	add("minus", "non-event, φ⁻", "c0l", minus, st.kinksOfClass(iv, -1), false)
	for _, l := range st.With { // the smooth loss whose tangents they are
		s := mustShape(st.resolve(l))
		a, b := st.sides(func(_, z float64) float64 { return s.value(z) })
		add("with+ "+l.String(), s.name+", event", "c1b", a, s.kinks, true)
		if st.Over == overScore {
			add("with- "+l.String(), s.name+", non-event", "c0b", b, s.kinks, true)
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
		for k, d := range iv.Delta {
			if st.Over == overScore {
				p.Flags = append(p.Flags, viz.Rule{At: d, Height: p.Y[1] * .94, Text: viz.Short(100*iv.Pi[k], 4), Mark: "@ink-3"})
			}
		}
	}
	p.Sentence = "Each class pays along straight pieces, tangents of the logistic loss, that meet at the circles. " +
		fmt.Sprintf("An event pays nothing from f = %s, a non-event nothing up to f = %s.", viz.Number(iv.Hinge[len(iv.Pi)], 2), viz.Number(iv.Hinge[0], 2))
	if len(p.Flags) > 0 {
		p.Sentence += " Dashed: the cut-offs, in" + unitPc + "."
	}
	p.Label = p.Title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-marginEnd, marginEnd, 1, fs...)
	c.plot.Legend = c.legend
	return c
}

// theory is the loss ℓ_π of a score's band.
func theory(iv loss.Interval) func(s, z float64) float64 {
	return func(s, z float64) float64 { return iv.Theory(s, iv.Band(s*z)) }
}

func theoryChart(st exploreState, iv loss.Interval) exploreChart {
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
	p := viz.Panel{ID: "theory", Title: "The loss it stands in for", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, 2}, Cross: st.Z, CrossName: symbol, Short: true,
		Curves: []viz.Curve{{ID: "plus", Name: "event", Mark: "c1l", F: plus, Kinks: cuts}, {ID: "minus", Name: "non-event", Mark: "c0l", F: minus, Kinks: minusCuts}}}
	if st.Over == overScore && len(iv.Pi) <= 9 {
		for k := range iv.Delta {
			ink := "@s1"
			if k%2 == 1 {
				ink = "@s2"
			}
			p.Ranges = append(p.Ranges, viz.Rule{At: iv.Hinge[k], To: iv.Hinge[k+1], Text: "δ" + subscript(k+1), Mark: ink})
		}
	}
	p.Sentence = "What naming a band costs: a step at every cut-off δ. "
	if st.Over == overScore {
		p.Sentence += "Any δ within its shaded range gives the same bands in the limit of many rows."
	} else {
		p.Sentence += "Over the margin the two classes step at different places unless the boundaries are symmetric."
	}
	p.Label = p.Title + ". " + p.Sentence
	c := exploreChart{plot: viz.Lines(p), height: "s", drag: "z", head: []string{upper(name), "event", "non-event"}, rows: gridded(-marginEnd, marginEnd, 1, plus, minus)}
	c.plot.Legend = []viz.LegendItem{{Series: "event", Text: "event", Mark: "c1l"}, {Series: "non-event", Text: "non-event", Mark: "c0l"}}
	return c
}

// subscript writes a small number.
func subscript(k int) string {
	out := []rune{}
	for _, d := range strconv.Itoa(k) {
		out = append(out, '₀'+(d-'0'))
	}
	return string(out)
}

func intervalPull(st exploreState, iv loss.Interval) exploreChart {
	name, symbol := st.axisName()
	plus, minus := st.sides(func(s, z float64) float64 { return math.Abs(iv.Slope(s, z)) })
	p := viz.Panel{ID: "influence", Title: "Influence", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, 1}, XName: name, Cross: st.Z, CrossName: symbol, Short: true,
		Curves: []viz.Curve{{ID: "plus", Name: "event", Mark: "c1l", F: plus, Kinks: st.kinksOfClass(iv, 1)}, {ID: "minus", Name: "non-event", Mark: "c0l", F: minus, Kinks: st.kinksOfClass(iv, -1)}}}
	p.Sentence = "How hard one row pulls on the fit. Between two hinges an event pulls with 1 − π and a non-event with π of the same boundary, so only rows near a cut-off are weighed against each other."
	p.Label = "Influence over the axis. " + p.Sentence
	return exploreChart{plot: viz.Lines(p), height: "s2", drag: "z", head: []string{upper(name), "event", "non-event"}, rows: gridded(-marginEnd, marginEnd, 1, plus, minus)}
}

func intervalCross(st exploreState, iv loss.Interval) *templates.ExploreCross {
	_, symbol := st.axisName()
	t := templates.Table{Label: "Values at the crosshair", Class: "tbl-tight", Columns: []templates.Column{
		{Label: "At " + symbol + " = " + viz.Number(st.Z, 2)}, {Label: "event", Num: true}, {Label: "non-event", Num: true}}}
	row := func(name string, f func(s, z float64) float64) {
		a, b := st.sides(f)
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: name}, {Text: viz.Number(a(st.Z), 3)}, {Text: viz.Number(b(st.Z), 3)}}})
	}
	row("surrogate φ", iv.Value)
	row("pull", func(s, z float64) float64 { return math.Abs(iv.Slope(s, z)) })
	row("loss of the band", theory(iv))
	if st.Over == overScore {
		band := viz.BandNames(iv.Pi)[iv.Band(st.Z)]
		t.Note = "The band of this score: " + band + "."
	}
	slider := crossSlider(st, "z", -marginEnd, marginEnd, st.Z, "")
	slider.Symbol = symbol
	return &templates.ExploreCross{Title: "At the crosshair", Table: t, Slider: slider}
}

func intervalFormula(st exploreState, iv loss.Interval) templates.ExploreFormula {
	f := templates.ExploreFormula{Note: "H is the entropy. Source: Kimes et al. 2016, Proposition 1.", Link: templates.Link{Label: "Where the tangents come from", URL: "/help/interval"}}
	phi := func(sign string) string { return msup(mi("φ"), mo(sign)) + paren(mi("z")) }
	if len(iv.Pi) == 1 {
		a := mn(viz.Number(iv.A[0], 3))
		f.Lines = []templates.Math{
			mathRow(phi("+"), mo("="), fn("max"), paren(mn("0"), mo(","), a, mo("−"), mn(viz.Short(1-iv.Pi[0], 3)), mi("z"))),
			mathRow(phi("−"), mo("="), fn("max"), paren(mn("0"), mo(","), a, mo("−"), mn(viz.Short(iv.Pi[0], 3)), mi("z"))),
		}
		return f
	}
	h := mi("H") + paren(msub(mi("π"), mi("k")))
	pik := msub(mi("π"), mi("k"))
	f.Lines = []templates.Math{
		mathRow(phi("+"), mo("="), munder("max", mi("k")), paren(mn("0"), mo(","), h, mo("−"), paren(mn("1"), mo("−"), pik), mi("z"))),
		mathRow(phi("−"), mo("="), munder("max", mi("k")), paren(mn("0"), mo(","), h, mo("−"), pik, mi("z"))),
	}
	k := min(len(iv.Pi)-1, max(0, iv.Band(st.Z)-1))
	f.Lines = append(f.Lines, mathRow(mi("H"), paren(mn(viz.Short(iv.Pi[k], 3))), mo("="), mn(viz.Number(iv.A[k], 3)), mo(","), msub(mi("δ"), mn(strconv.Itoa(k+1))), mo("="), mn(viz.Number(iv.Delta[k], 3))))
	return f
}

func intervalWhere(iv loss.Interval) *templates.ExploreWhere {
	w := &templates.ExploreWhere{Title: "Cut-offs", Map: templates.SVG(viz.BandStripSVG(iv.Pi))}
	if len(iv.Pi) > maxPageK {
		w.Text = "Each of the " + strconv.Itoa(len(iv.Pi)) + " boundaries has its cut-off at δ = log π/(1 − π)."
		return w
	}
	t := templates.Table{Label: "Cut-offs", Class: "tbl-tight", Columns: []templates.Column{{Label: "π"}, {Label: "δ = logit π", Num: true}, {Label: "may lie in", Num: true}}}
	for k, p := range iv.Pi {
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: viz.Short(p, 4)}, {Text: viz.Number(iv.Delta[k], 2)},
			{Text: viz.Range(viz.Number(iv.Hinge[k], 2), viz.Number(iv.Hinge[k+1], 2))}}})
	}
	w.Table = &t
	return w
}

func intervalReadout(st exploreState, iv loss.Interval) templates.Table {
	_, symbol := st.axisName()
	t := templates.Table{ID: "readout", Label: "Both classes at seven points", Class: "tbl-grid", Columns: []templates.Column{{Label: "Surrogate φ", Unit: "and loss of the band"}}}
	for _, x := range sevenMargins {
		t.Columns = append(t.Columns, templates.Column{Label: symbol + " = " + viz.Number(x, 0), Num: true})
	}
	plus, minus := st.sides(iv.Value)
	tp, tm := st.sides(theory(iv))
	for i, r := range []struct {
		name, mark string
		f, g       func(float64) float64
	}{{"event, φ⁺", "c1l", plus, tp}, {"non-event, φ⁻", "c0l", minus, tm}} {
		row := templates.Row{Cells: []templates.Cell{{Content: templates.Keyed(r.mark, r.name)}}}
		if i == 0 {
			row.Class = "is-steer"
		}
		for _, x := range sevenMargins {
			row.Cells = append(row.Cells, templates.Cell{Text: viz.Number(r.f(x), 3), CI: viz.Number(r.g(x), 3)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// lineMarks are the compared losses of the families without a steered margin
// loss.
func (st exploreState) lineMarks() []line {
	var out []line
	for i, spec := range st.With {
		m := ownMarks[spec.String()]
		if m == "" {
			m = moreMarks[i%len(moreMarks)]
		}
		if st.Family == famInterval {
			m = "c1b"
		}
		out = append(out, line{shape: mustShape(st.resolve(spec)), mark: m, id: "with " + spec.String()})
	}
	return out
}

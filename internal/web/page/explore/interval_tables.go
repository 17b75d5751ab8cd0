package explore

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

func intervalCross(st State, iv loss.Interval) *templates.ExploreCross {
	_, symbol := st.axisName()
	t := templates.Table{Label: "Values at the crosshair", Class: "tbl-tight", Columns: []templates.Column{
		{Label: "At " + symbol + " = " + viz.Number(st.Z, 2)}, {Label: "event", Num: true}, {Label: "non-event", Num: true}}}
	row := func(name string, f func(s, z float64) float64) {
		a, b := st.sides(f)
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: name}, {Text: viz.Number(a(st.Z), 3)},
			{Text: viz.Number(b(st.Z), 3)}}})
	}
	row("surrogate φ", iv.Value)
	row("|slope|", func(s, z float64) float64 { return math.Abs(iv.Slope(s, z)) })
	row("loss of the band", theory(iv))
	if st.Over == overScore {
		band := viz.BandNames(iv.Pi)[iv.Band(st.Z)]
		t.Note = "The band of this score: " + band + "."
	}
	slider := crossSlider(st, "")
	slider.Symbol = symbol
	return &templates.ExploreCross{Title: "At the crosshair", Table: t, Slider: slider}
}

func intervalFormula(st State, iv loss.Interval) templates.ExploreFormula {
	f := templates.ExploreFormula{Note: "H is the entropy. Source: Kimes et al. 2016, Proposition 1.",
		Link: templates.Link{Label: "Where the tangents come from", URL: "/help/interval"}}
	phi := func(sign string) string {
		return mathml.Msup(mathml.Mi("φ"), mathml.Mo(sign)) + mathml.Paren(mathml.Mi("z"))
	}
	if len(iv.Pi) == 1 {
		a := mathml.Mn(viz.Number(iv.A[0], 3))
		f.Lines = []templates.Math{
			mathml.Display(phi("+"), mathml.Mo("="), mathml.Fn("max"), mathml.Paren(mathml.Mn("0"), mathml.Mo(","), a,
				mathml.Mo("−"), mathml.Mn(viz.Short(1-iv.Pi[0], 3)), mathml.Mi("z"))),
			mathml.Display(phi("−"), mathml.Mo("="), mathml.Fn("max"), mathml.Paren(mathml.Mn("0"), mathml.Mo(","), a,
				mathml.Mo("−"), mathml.Mn(viz.Short(iv.Pi[0], 3)), mathml.Mi("z"))),
		}
		return f
	}
	h := mathml.Mi("H") + mathml.Paren(mathml.Msub(mathml.Mi("π"), mathml.Mi("k")))
	pik := mathml.Msub(mathml.Mi("π"), mathml.Mi("k"))
	f.Lines = []templates.Math{
		mathml.Display(phi("+"), mathml.Mo("="), mathml.Munder("max", mathml.Mi("k")),
			mathml.Paren(mathml.Mn("0"), mathml.Mo(","), h, mathml.Mo("−"),
				mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), pik),
				mathml.Mi("z"))),
		mathml.Display(phi("−"), mathml.Mo("="), mathml.Munder("max", mathml.Mi("k")),
			mathml.Paren(mathml.Mn("0"), mathml.Mo(","), h, mathml.Mo("−"), pik, mathml.Mi("z"))),
	}
	k := min(len(iv.Pi)-1, max(0, iv.Band(st.Z)-1))
	f.Lines = append(f.Lines, mathml.Display(mathml.Mi("H"), mathml.Paren(mathml.Mn(viz.Short(iv.Pi[k], 3))),
		mathml.Mo("="), mathml.Mn(viz.Number(iv.A[k], 3)), mathml.Mo(","),
		mathml.Msub(mathml.Mi("δ"), mathml.Mn(strconv.Itoa(k+1))), mathml.Mo("="), mathml.Mn(viz.Number(iv.Delta[k], 3))))
	return f
}

func intervalWhere(iv loss.Interval) *templates.ExploreWhere {
	w := &templates.ExploreWhere{Title: "Cut-offs", Map: templates.SVG(viz.BandStripSVG(iv.Pi))}
	if len(iv.Pi) > boundary.Most {
		w.Text = "Each of the " + strconv.Itoa(len(iv.Pi)) + " boundaries has its cut-off at δ = log π/(1 − π)."
		return w
	}
	t := templates.Table{Label: "Cut-offs", Class: "tbl-tight",
		Columns: []templates.Column{{Label: "π"}, {Label: "δ = logit π", Num: true}, {Label: "allowed range", Num: true}}}
	decimals := 2
	for _, p := range iv.Pi {
		_, after, _ := strings.Cut(viz.Short(p, 4), ".")
		decimals = max(decimals, len(after))
	}
	for k, p := range iv.Pi {
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: viz.Number(p, decimals)},
			{Text: viz.Number(iv.Delta[k], 2)},
			{Text: viz.Range(viz.Number(iv.Hinge[k], 2), viz.Number(iv.Hinge[k+1], 2))}}})
	}
	w.Table = &t
	return w
}

func intervalReadout(st State, iv loss.Interval) templates.Table {
	_, symbol := st.axisName()
	t := templates.Table{ID: "readout", Label: "Both classes at seven points", Class: "tbl-grid stacks",
		Columns: []templates.Column{{Label: "Surrogate φ", Unit: "and loss of the band"}}}
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

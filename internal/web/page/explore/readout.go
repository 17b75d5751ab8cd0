package explore

import (
	"math"

	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/web/templates"
)

// marginCross evaluates every curve at the crosshair.
func marginCross(st State, ls []line) *templates.ExploreCross {
	t := templates.Table{Label: "Values at the crosshair", Class: "tbl-tight", Columns: []templates.Column{
		{Label: "At z = " + viz.Number(st.Z, 2)}, {Label: "loss", Num: true}, {Label: "|dℓ/dz|", Num: true},
		{Label: "p̂", Num: true}}}
	for _, l := range ls {
		if l.spec.ID == "zero-one" {
			continue
		}
		p := math.NaN()
		if l.probability != nil {
			p = l.probability(st.Z)
		}
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{
			{Content: templates.Keyed(l.mark, l.short())},
			{Text: amountTo(l.Value(st.Z), 2)}, {Text: amountTo(l.pull(st.Z), 2)}, {Text: viz.Number(p, 2)}}})
	}
	return &templates.ExploreCross{Title: "At the crosshair", Table: t,
		Slider: crossSlider(st, "Margin")}
}

func crossSlider(st State, label string) templates.Slider {
	f := form.Get(&st, "z")
	return templates.Slider{ID: "x-z", Name: f.Key, Symbol: f.Symbol, Label: label, Min: f.Low, Max: f.High, Step: f.Step,
		Value: st.Z, Default: f.DefaultNumber(), Text: f.Text(), NoReset: true, Compact: true,
		Hint: "You can also click or drag in a chart."}
}

// amountTo is amount with fewer decimals.
func amountTo(v float64, decimals int) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v) >= 1e4:
		return viz.Short(v, 2)
	}
	return viz.Number(v, decimals)
}

// sevenMargins are the margins of the readout table.
var sevenMargins = []float64{-6, -4, -2, 0, 2, 4, 6}

func marginReadout(ls []line) templates.Table {
	t := templates.Table{ID: "readout", Label: "Every curve at seven margins", Class: "tbl-grid stacks",
		Columns: []templates.Column{{Label: "Loss", Unit: "and gradient |dℓ/dz|"}}}
	for _, z := range sevenMargins {
		t.Columns = append(t.Columns, templates.Column{Label: "z = " + viz.Number(z, 0), Num: true})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "largest loss", Num: true})
	for i, l := range ls {
		if l.spec.ID == "zero-one" {
			continue
		}
		name := l.label()
		r := templates.Row{Cells: []templates.Cell{{Content: templates.Keyed(l.mark, name)}}}
		if l.pinned {
			r.Cells[0].Content, r.Cells[0].CI = templates.Keyed(l.mark, name), "\u00a0 pinned"
		}
		if i == 0 {
			r.Class = "is-steer"
		}
		for _, z := range sevenMargins {
			r.Cells = append(r.Cells, templates.Cell{Text: amount(l.Value(z)), CI: amount(l.pull(z))})
		}
		r.Cells = append(r.Cells, templates.Cell{Text: amount(l.regime.Bound)})
		t.Rows = append(t.Rows, r)
	}
	return t
}

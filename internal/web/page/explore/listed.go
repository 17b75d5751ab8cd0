package explore

import (
	"math"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

// A listed family is known to the explorer only through loss.Families: it has the charts of every loss of the
// margin and a slider per parameter. Families with fields of their own in State have additional charts.

func listedControls(st State, f loss.Family) (out []templates.ExploreControl) {
	for _, p := range f.Params {
		s := control.NumericSlider(form.Get(&st, p.Name))
		s.Ticks = []templates.Tick{{At: 0, Label: viz.Short(p.SliderMin, 3)}, {At: 1, Label: viz.Short(p.SliderMax, 3)}}
		out = append(out, templates.ExploreControl{Slider: s, Help: f.ID})
	}
	return out
}

// symbols names the parameters of a family briefly.
func symbols(f loss.Family) string {
	var all []string
	for _, p := range f.Params {
		all = append(all, p.Symbol)
	}
	return strings.Join(all, ", ")
}

// listedFormula gives the value at the crosshair; the formula itself is in the help.
func listedFormula(st State, f loss.Family, s Shape) templates.ExploreFormula {
	value := "∞"
	if v := s.Value(st.Z); viz.Finite(v) {
		value = viz.Number(v, 3)
	}
	return templates.ExploreFormula{
		Link: templates.Link{Label: "Where the formula comes from", URL: "/help/" + f.ID},
		Lines: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mn(viz.Short(st.Z, 3))), mathml.Mo("="),
			mathml.Mn(value))},
		Note: "Source: " + f.Source + ".",
	}
}

// listedLink says how to get a risk from the curve of p̂.
func listedLink(st State, f loss.Family) string {
	link := f.LinkOf(st.Params)
	if link.ID == loss.LinkNone {
		return "The class probability cannot be recovered: the loss identifies only the likelier class."
	}
	return "The class probability is " + link.Formula + "."
}

// isOwnLink reports whether p̂ itself is the class probability, tested at two margins on either side.
func isOwnLink(s Shape) bool {
	for _, z := range []float64{-1.7, 0.9} {
		if s.class != nil && s.probability != nil && math.Abs(s.class(z)-s.probability(z)) > 1e-9 {
			return false
		}
	}
	return true
}

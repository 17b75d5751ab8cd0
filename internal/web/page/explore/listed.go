package explore

import (
	"math"
	"net/url"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

// A listed family is one that the explorer knows by loss.Families alone: it has
// the charts of every loss of the margin and a slider for each parameter. The
// families of State's own fields say more in code of their own.

// listedFamilies are their ids, in the order of loss.Families.
func listedFamilies() (ids []string) {
	for _, f := range loss.Families {
		if f.Explored {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// listed is the family of the state, where it is a listed one.
func (st *State) listed() (loss.Family, bool) {
	f, ok := loss.FamilyByID(st.Family)
	return f, ok && f.Explored
}

// Fields are the parameters of a listed family. The range of the slider is that
// of the address: beyond it the charts say little.
func (st *State) Fields() (all []form.Field) {
	f, ok := st.listed()
	if !ok {
		return nil
	}
	if st.Params == nil {
		st.Params = loss.Values{}
	}
	for _, p := range f.Params {
		all = append(all, form.Field{
			Key: p.Name, Symbol: p.Symbol, Label: p.About, Low: p.SliderMin, High: p.SliderMax, Step: p.Step,
			Default: []string{form.Text(p.Default.Number)},
			Read: form.One(func(text string) error {
				v, err := f.Parse(url.Values{p.Name: {strings.ReplaceAll(text, "∞", "inf")}})
				if err == nil {
					st.Params[p.Name] = v[p.Name]
				}
				return err
			}),
			Write: func() []string { return []string{form.Text(st.Params.Number(p.Name))} },
		})
	}
	return all
}

// listedSpec is the loss that the sliders of a listed family move.
func (st *State) listedSpec(f loss.Family) Spec {
	spec := Spec{ID: f.ID}
	for _, p := range f.Params {
		spec.Args = append(spec.Args, form.Text(st.Params.Number(p.Name)))
	}
	return spec
}

func listedControls(st State, f loss.Family) (out []templates.ExploreControl) {
	for _, p := range f.Params {
		s := control.Of(form.Get(&st, p.Name))
		s.Ticks = []templates.Tick{{At: 0, Label: viz.Short(p.SliderMin, 3)}, {At: 1, Label: viz.Short(p.SliderMax, 3)}}
		out = append(out, templates.ExploreControl{Slider: s, Help: f.ID})
	}
	return out
}

// symbols names the parameters of a family in a word or two.
func symbols(f loss.Family) string {
	var all []string
	for _, p := range f.Params {
		all = append(all, p.Symbol)
	}
	return strings.Join(all, ", ")
}

// listedFormula gives the value at the crosshair; the formula itself is on the
// page of help.
func listedFormula(st State, f loss.Family, s Shape) templates.ExploreFormula {
	value := "∞"
	if v := s.Value(st.Z); finiteNumber(v) {
		value = viz.Number(v, 3)
	}
	return templates.ExploreFormula{
		Link: templates.Link{Label: "Where the formula comes from", URL: "/help/" + f.ID},
		Lines: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mn(viz.Short(st.Z, 3))), mathml.Mo("="),
			mathml.Mn(value))},
		Note: "Source: " + f.Source + ".",
	}
}

// listedLink says how to read a risk off the curve of p̂.
func listedLink(st State, f loss.Family) string {
	link := f.LinkOf(st.Params)
	if link.ID == loss.LinkNone {
		return "The class probability cannot be recovered: the loss tells only the likelier class."
	}
	return "The class probability is " + link.Formula + "."
}

// isOwnLink reports whether p̂ itself is the class probability, seen at two
// margins on either side.
func isOwnLink(s Shape) bool {
	for _, z := range []float64{-1.7, 0.9} {
		if s.class != nil && s.probability != nil && math.Abs(s.class(z)-s.probability(z)) > 1e-9 {
			return false
		}
	}
	return true
}

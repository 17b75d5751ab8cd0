package playground

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// methods are those that can classify these points, by group, and the method in use. For two classes most
// multiclass losses equal the hinge or the logistic loss, so they are left out.
func (a controls) methods(k int) []templates.OptionGroup {
	var all []templates.OptionGroup
	for _, h := range methods {
		several := a.kind == binary && (h.Group == groupSeveral || h.Group == groupOrdered)
		if h.ID != a.st.Models[k].Method && (several || !h.parts(a.kind)) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Label != h.Group {
			all = append(all, templates.OptionGroup{Label: h.Group})
		}
		g := &all[len(all)-1]
		g.Options = append(g.Options, templates.Option{Value: h.ID, Label: h.Title, On: h.ID == a.st.Models[k].Method})
	}
	return all
}

// pars are the controls of one model.
func (a controls) pars(k int) []templates.PlayControl {
	m, slot := a.st.Models[k], slots[k]
	how := mustMethod(m.Method)
	p := pars{id: slot[:1] + "-", slot: slot, st: a.st, m: m, how: how, classes: a.classes}
	for _, param := range how.Params {
		p.param(param)
	}
	if how.banded() {
		p.boundaries(k)
	}
	if m.Method == "boost" {
		p.slide("rounds")
		p.slide("depth")
		p.choose("rule", map[string]string{"half-log": "½ log((1−ε)/ε)", "alpha-log": "α log((1−ε)/ε)",
			"line-search": "line search"})
	}
	if a.st.Settings == ownSettings {
		own := settings{L2: m.L2, Kernel: m.Kernel, Features: m.Features, Gamma: m.Gamma}
		p.settings(own, m.Method != "boost", how.Kernel, a.plane)
	}
	if len(how.solvers(m.Kernel)) > 1 {
		p.choose("solver", map[string]string{"auto": "Automatic", "cmp": "Alternating ξ and θ",
			"subgradient": "Subgradient", "pegasos": "Pegasos"})
	}
	return p.out
}

// shared are the controls of the settings common to both models, and the choice to separate them.
func (a controls) shared() templates.PlayGroup {
	var penalty, kernel bool // at least one model has it
	for _, m := range a.st.Models {
		penalty, kernel = penalty || m.Method != "boost", kernel || mustMethod(m.Method).Kernel
	}
	each := &templates.Choice{ID: "pg-settings", Name: "settings", Label: "λ, features and kernel",
		Options: []templates.Option{{Value: "shared", Label: "Shared", On: a.st.Settings != ownSettings},
			{Value: ownSettings, Label: "One each", On: a.st.Settings == ownSettings}}}
	g := templates.PlayGroup{ID: "shared", Title: "Both models", Controls: []templates.PlayControl{{Seg: each}}}
	if a.st.Settings == ownSettings {
		return g
	}
	p := pars{id: "pg-", st: a.st}
	p.settings(a.st.Shared, penalty, kernel, a.plane)
	g.Controls = append(g.Controls, p.out...)
	return g
}

// settings are the controls of the penalty, the features and the kernel, of one model or of both.
func (p *pars) settings(s settings, penalty, kernel, plane bool) {
	if penalty {
		var stops []float64
		for e := -7; e <= 1; e++ {
			for _, d := range []float64{1, 2, 5} {
				stops = append(stops, form.MustFloat(strconv.FormatFloat(d, 'g', -1, 64)+"e"+strconv.Itoa(e)))
			}
		}
		p.stops("l2", "", stops, []float64{1e-7, 1e-4, .1, 50})
	}
	// Features derived from the plane and kernels exclude each other.
	if s.Kernel == noKernel && plane {
		p.choose("features", map[string]string{playground.Linear: "Linear", playground.Quadratic: "Quadratic",
			playground.RBF: "64 RBF basis functions"})
	}
	if kernel {
		p.choose("kernel", map[string]string{noKernel: "None", "rbf": "Gaussian (RBF)", "poly": "Polynomial"})
	}
	if s.Kernel == "poly" {
		p.slide("degree")
	}
	if s.Kernel == "rbf" || s.Kernel == noKernel && s.Features == playground.RBF {
		hint := "Larger values give narrower kernels."
		if s.Gamma == 0 {
			hint = "0: chosen from the points."
		}
		p.stops("gamma", hint, []float64{0, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50}, []float64{.1, 1, 10})
	}
}

// withoutKernel says that a model cannot use the common kernel.
func (a controls) withoutKernel(k int) string {
	if a.st.Settings == ownSettings || a.st.Shared.Kernel == noKernel || mustMethod(a.st.Models[k].Method).Kernel {
		return ""
	}
	return mustMethod(a.st.Models[k].Method).Title + " fits without a kernel, on linear features."
}

// pars collects the controls of one model.
type pars struct {
	id, slot string
	st       state
	m        model
	how      offer
	classes  int
	out      []templates.PlayControl
}

func (p *pars) field(key string) form.Field { return form.Get(&p.st, p.slot+key) }

func (p *pars) add(s *templates.Slider) {
	p.out = append(p.out, templates.PlayControl{Slider: s})
}

func (p *pars) slide(key string) {
	f := p.field(key)
	s := control.NumericSlider(f)
	s.ID, s.Text = p.id+key, f.Text()
	p.add(s)
}

func (p *pars) stops(key, hint string, stops, ticks []float64) {
	f := p.field(key)
	p.add(control.Stops(templates.Slider{ID: p.id + key, Name: f.Key, Label: f.Label, Hint: hint}, f.Number(),
		f.DefaultNumber(), stops, ticks))
}

func (p *pars) choose(key string, titles map[string]string) {
	c := control.Choice(p.field(key), titles)
	c.ID = p.id + key
	p.out = append(p.out, templates.PlayControl{Choice: c})
}

// boundaries are a slider per boundary, and the common sets.
func (p *pars) boundaries(k int) {
	pi := p.m.Pi
	for j, v := range pi {
		low, high := boundary.FreeRange(pi, j)
		s := control.Percent(templates.Slider{ID: p.id + "pi" + strconv.Itoa(j+1), Name: p.slot + "pi", Symbol: "π",
			Sub: strconv.Itoa(j + 1), Note: viz.Short(100*v, 4) + format.Pc,
			Max: 1, Step: .01, Value: v, Default: v, Low: form.Text(low), High: form.Text(high), NoReset: true,
			Spoken: "Boundary " + strconv.Itoa(j+1) + " at " + viz.Short(100*v, 4) + " percent"})
		p.add(&s)
	}
	sets := templates.PlayControl{Title: "Common boundaries"}
	for _, r := range boundary.Rules {
		to := p.st
		to.Models[k].Pi = r.Pi
		sets.Links = append(sets.Links, templates.Link{Label: r.Label, URL: to.url()})
		if slices.Equal(r.Pi, pi) {
			sets.On = r.Label
		}
	}
	p.out = append(p.out, sets)
}

// param is the control of one parameter of a loss.
func (p *pars) param(param loss.Param) {
	now := p.m.Params[param.Name]
	preset := p.how.defaults()[param.Name]
	switch {
	case param.Type == loss.ID:
		c := templates.Choice{ID: p.id + param.Name, Name: p.slot + param.Name,
			Label: phrase.UpperFirst(param.Description)}
		for _, o := range param.Options {
			c.Options = append(c.Options, templates.Option{Value: o,
				Label: phrase.UpperFirst(strings.ReplaceAll(o, "-", " ")), On: o == now})
		}
		p.out = append(p.out, templates.PlayControl{Choice: &c})
	case param.Type == loss.Matrix:
		p.out = append(p.out, templates.PlayControl{Input: &templates.Input{ID: p.id + param.Name, Name: p.slot + param.Name,
			Label: "Costs", Value: now,
			Placeholder: typedValue(loss.Matrix, loss.Value{Matrix: squaredCosts(p.classes)}),
			Hint:        "One row per answer, separated by /; one column per true class. An additional row is abstention."}})
	case param.Type == loss.Number && param.Log:
		v, plain := sliderValue(param, now), sliderValue(param, preset)
		s := control.Stops(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: param.Symbol},
			v, plain, control.AlphaStops(), []float64{.25, 1, 4, math.Inf(1)})
		s.Hint = lossHint(p.how, p.m)
		p.add(s)
	case param.Type == loss.Number:
		v, plain := sliderValue(param, now), sliderValue(param, preset)
		symbol, sub := control.Subscript(param.Symbol)
		s := control.Slider(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: symbol, Sub: sub,
			Min: param.SliderMin, Max: param.SliderMax, Step: param.Step, Value: v, Default: plain, Text: format.TwoDecimals(v),
			Ticks: []templates.Tick{{At: 0, Label: viz.Short(min(param.SliderMin, v), 3)},
				{At: 1, Label: viz.Short(max(param.SliderMax, v), 3)}}})
		s.Spoken = param.Symbol + " " + format.TwoDecimals(v) + ", " + param.Heading()
		switch {
		case param.Name == "t1":
			s.Hint = lossHint(p.how, p.m)
		case p.how.Group == groupAbstains:
			s.Hint = "Cost of abstaining; an error costs 1."
		}
		p.add(s)
	}
}

// sliderValue is a parameter in the form that canonical gives it.
func sliderValue(param loss.Param, text string) float64 {
	v, _ := param.Parse(text)
	return v.Number
}

// lossHint says how the steered parameter changes the influence of a point.
func lossHint(how offer, m model) string {
	if how.Family.Margin == nil || m.Method == "boost" {
		return ""
	}
	values, err := how.Family.Parse(m.typed())
	if err != nil {
		return ""
	}
	l, ok := how.Family.Margin(values).(loss.Regimer)
	if !ok {
		return ""
	}
	if b := l.Regime().Bound; !math.IsInf(b, 1) {
		return "The loss is bounded by " + viz.Number(b, 2) + "."
	}
	return "The loss is not bounded."
}

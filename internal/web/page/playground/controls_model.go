package playground

import (
	"slices"
	"strconv"

	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// methods are all of them by group; those that do not part these points are
// greyed.
func (a controls) methods(k int) []templates.OptionGroup {
	var all []templates.OptionGroup
	for _, h := range methods() {
		if len(all) == 0 || all[len(all)-1].Label != h.Group {
			all = append(all, templates.OptionGroup{Label: h.Group})
		}
		g := &all[len(all)-1]
		g.Options = append(g.Options, templates.Option{Value: h.ID, Label: h.Title, On: h.ID == a.st.Models[k].Method,
			Disabled: !slices.Contains(h.Kinds, a.kind)})
	}
	return all
}

// pars are the controls of one model.
func (a controls) pars(k int) []templates.PlayControl {
	m, slot := a.st.Models[k], slots[k]
	how := mustMethod(m.Method)
	p := pars{id: slot[:1] + "-", slot: slot, m: m, how: how, plane: a.plane, classes: a.classes}
	for _, param := range how.Params {
		p.param(param)
	}
	if m.Method == "interval" {
		p.boundaries(a.st, k)
	}
	if m.Method == "boost" {
		p.slide("rounds", "Trees", float64(m.Rounds), 100, 1, mostRounds, 1)
		p.slide("depth", "Depth of a tree", float64(m.Depth), 1, 1, mostDepth, 1)
		p.choose("rule", "Weight of a tree", m.Rule, []string{"half-log", "alpha-log", "line-search"},
			map[string]string{"half-log": "½ log((1−ε)/ε)", "alpha-log": "α log((1−ε)/ε)", "line-search": "line search"})
	} else {
		var stops []float64
		for e := -7; e <= 1; e++ {
			for _, d := range []float64{1, 2, 5} {
				stops = append(stops, form.MustFloat(strconv.FormatFloat(d, 'g', -1, 64)+"e"+strconv.Itoa(e)))
			}
		}
		p.add(control.Stops(templates.Slider{ID: p.id + "l2", Name: slot + "l2", Label: "Penalty λ"}, m.L2,
			newModel(m.Method).L2, stops, []float64{1e-7, 1e-4, .1, 50}))
	}
	p.features()
	if solvers := how.solvers(m.Kernel); len(solvers) > 1 {
		p.choose("solver", "Solver", m.Solver, solvers, map[string]string{"auto": "Automatic", "cmp": "Alternating ξ and θ",
			"subgradient": "Subgradient", "pegasos": "Pegasos"})
	}
	return p.out
}

// pars collects the controls of one model.
type pars struct {
	id, slot string
	m        model
	how      offer
	plane    bool
	classes  int
	out      []templates.PlayControl
}

func (p *pars) add(s *templates.Slider) {
	p.out = append(p.out, templates.PlayControl{Slider: s})
}

func (p *pars) slide(name, label string, now, preset, lo, hi, step float64) {
	p.add(control.Slider(templates.Slider{ID: p.id + name, Name: p.slot + name, Label: label, Min: lo, Max: hi, Step: step,
		Value: now, Default: preset, Text: form.Text(now)}))
}

func (p *pars) choose(name, label, now string, ids []string, titles map[string]string) {
	c := &templates.Choice{ID: p.id + name, Name: p.slot + name, Label: label}
	for _, id := range ids {
		c.Options = append(c.Options, templates.Option{Value: id, Label: titles[id], On: id == now})
	}
	p.out = append(p.out, templates.PlayControl{Choice: c})
}

// boundaries are one slider each, and common sets of them.
func (p *pars) boundaries(st state, k int) {
	pi := p.m.Pi
	for j, v := range pi {
		low, high := boundary.Room(pi, j)
		s := control.Percent(templates.Slider{ID: p.id + "pi" + strconv.Itoa(j+1), Name: p.slot + "pi", Symbol: "π",
			Sub: strconv.Itoa(j + 1), Note: viz.Short(100*v, 4) + format.Pc,
			Max: 1, Step: .01, Value: v, Default: v, Low: form.Text(low), High: form.Text(high), NoReset: true,
			Spoken: "Boundary " + strconv.Itoa(j+1) + " at " + viz.Short(100*v, 4) + " percent"})
		p.add(&s)
	}
	sets := templates.PlayControl{Title: "Common boundaries"}
	for _, r := range boundary.Rules {
		to := st
		to.Models[k].Pi = r.Pi
		sets.Links = append(sets.Links, templates.Link{Label: r.Label, URL: to.url()})
		if slices.Equal(r.Pi, pi) {
			sets.On = r.Label
		}
	}
	p.out = append(p.out, sets)
}

// features are what the model sees of a point.
func (p *pars) features() {
	m := p.m
	if m.Kernel == noKernel && p.plane {
		p.choose("features", "Features", m.Features, playground.FeatureKinds,
			map[string]string{playground.Linear: "Linear", playground.Quadratic: "Quadratic", playground.RBF: "64 bumps (RBF)"})
	}
	if p.how.Kernel {
		p.choose("kernel", "Kernel", m.Kernel, []string{noKernel, "rbf", "poly"},
			map[string]string{noKernel: "None", "rbf": "Gaussian (RBF)", "poly": "Polynomial"})
	}
	if m.Kernel == "poly" {
		p.slide("degree", "Degree", float64(m.Degree), 3, 1, 5, 1)
	}
	if m.Kernel == "rbf" || m.Kernel == noKernel && m.Features == playground.RBF {
		s := control.Stops(templates.Slider{ID: p.id + "gamma", Name: p.slot + "gamma", Label: "Width γ"}, m.Gamma,
			0, []float64{0, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50}, []float64{.1, 1, 10})
		if s.Hint = "Larger is narrower."; m.Gamma == 0 {
			s.Hint = "0 takes it from the points."
		}
		p.add(s)
	}
}

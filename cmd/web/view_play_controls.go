package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/cmd/web/bounds"
	"taper/cmd/web/query"
	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/loss"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/web/templates"
)

// The controls of the playground. Everything that can be steered follows from
// the state, the methods' own parameters and the kind of points.

// playAsk is what the controls have to know besides the state.
type playAsk struct {
	st       playState
	kind     playKind
	columns  playColumns        // of a dataset, to choose from
	datasets []templates.Option // uploaded files
	spoilt   string             // how many labels are flipped, in words
	note     string             // of the source of points
	plane    bool               // two columns: features may be made of them
}

// groups are those of the control column.
func (a playAsk) groups() []templates.PlayGroup {
	st := a.st
	noise := templates.PlayGroup{ID: "noise", Title: "Label noise", Controls: []templates.PlayControl{{Choice: a.noiseChoice()}}}
	if st.Noise != synth.NoiseNone {
		noise.Controls = append(noise.Controls, templates.PlayControl{Slider: a.rateSlider("rate", st.Rate)})
	}
	if st.Noise == synth.NoiseClass {
		noise.Controls = append(noise.Controls, templates.PlayControl{Slider: a.rateSlider("rate0", st.Rate0)})
	}
	seed := templates.Input{ID: "pg-seed", Name: "seed", Label: "Seed", Value: strconv.FormatUint(st.Seed, 10), Numeric: true}
	noise.Controls = append(noise.Controls, templates.PlayControl{Seed: &seed})
	show := templates.PlayGroup{ID: "show", Title: "Show", Controls: []templates.PlayControl{
		{Check: &templates.Option{Value: "train", Label: "Training points", On: true}}, {Check: &templates.Option{Value: "test", Label: "Test points", On: true}}}}
	edit := templates.PlayControl{Edit: true, Text: "See every point in a list, or take these as your own to add, drag and remove."}
	if st.Data == playOwn {
		edit.Text = "Click an empty place to add, drag to move, Delete to remove. Keys 1 and 2 choose the class."
	}
	return []templates.PlayGroup{noise, a.sampleGroup(), show, {ID: "points", Title: "Points", Controls: []templates.PlayControl{edit}}}
}

func (a playAsk) noiseChoice() *templates.Choice {
	c := &templates.Choice{ID: "pg-noise", Name: "noise", Label: "Kind"}
	for _, n := range playNoises {
		c.Options = append(c.Options, templates.Option{Value: n.ID, Label: n.Title, On: n.ID == a.st.Noise, Disabled: !slices.Contains(n.Kinds, a.kind)})
	}
	return c
}

func (a playAsk) rateSlider(name string, rate float64) *templates.Slider {
	share := func(v float64) float64 { return v / mostNoise }
	s := &templates.Slider{ID: "pg-" + name, Name: name, Label: "Rate", Note: viz.Percent(rate, 0) + wording.Pc, Max: mostNoise, Step: .01, Value: rate, Default: .2, Text: wording.TwoDecimals(rate),
		Ticks:  []templates.Tick{{At: 0, Label: "0"}, {At: share(.2), Label: "0.2", On: rate == .2}, {At: 1, Label: "0.5"}},
		Spoken: viz.Percent(rate, 0) + " percent"}
	switch {
	case name == "rate0":
		s.Label, s.Hint, s.Default = "Rate, other class", "", 0
	case a.spoilt != "":
		s.Hint = a.spoilt
	}
	return s
}

func (a playAsk) sampleGroup() templates.PlayGroup {
	st := a.st
	g := templates.PlayGroup{ID: "sample", Title: "Sample", Controls: []templates.PlayControl{{Choice: a.dataChoice(), Text: a.note}}}
	if st.dataset() != "" {
		g.Controls = append(g.Controls, a.datasetControls()...)
	}
	if st.Data != playOwn {
		g.Controls = append(g.Controls, templates.PlayControl{Slider: stopSlider(templates.Slider{ID: "pg-n", Name: "n", Label: "Points n", Free: true}, float64(st.N), 300,
			[]float64{100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000, 4000, 5000}, []float64{100, 300, 1000, 5000})})
	}
	test := &templates.Slider{ID: "pg-test", Name: "test", Label: "Held out", Note: viz.Percent(st.Test, 0) + wording.Pc, Max: .9, Step: .05, Value: st.Test, Default: newPlay(st.Data).Test,
		Hint: "They judge and never train.", Spoken: viz.Percent(st.Test, 0) + " percent held out"}
	if st.Test == 0 {
		test.Hint = "None held out: fresh points judge."
		if st.Data == playOwn || strings.HasPrefix(st.Data, playDataset) {
			test.Hint = "None held out: the training points judge, by their true labels."
		}
	}
	g.Controls = append(g.Controls, templates.PlayControl{Slider: widget.Slider(*test)})
	return g
}

func (a playAsk) dataChoice() *templates.Choice {
	c := &templates.Choice{ID: "pg-data", Name: "data", Label: "Points from"}
	for _, g := range synth.Generators {
		c.Options = append(c.Options, templates.Option{Value: g.ID, Label: g.Title, On: g.ID == a.st.Data})
	}
	c.Options = append(c.Options, a.datasets...)
	c.Options = append(c.Options, templates.Option{Value: playOwn, Label: "Own points", On: a.st.Data == playOwn})
	return c
}

// datasetControls choose what is shown and predicted of an uploaded file.
func (a playAsk) datasetControls() []templates.PlayControl {
	st, c := a.st, a.columns
	list := func(id, label string, all []string, on int, now string) templates.PlayControl {
		out := &templates.Choice{ID: "pg-" + id, Name: id, Label: label}
		for i, name := range all {
			out.Options = append(out.Options, templates.Option{Value: name, Label: name, On: name == now || now == "" && i == on})
		}
		return templates.PlayControl{Choice: out}
	}
	event := &templates.Choice{ID: "pg-positive", Name: "positive", Label: "Event"}
	for _, l := range c.Levels {
		event.Options = append(event.Options, templates.Option{Value: l, Label: l, On: l == c.Positive})
	}
	if c.Positive == "" {
		event.Options = append([]templates.Option{{Label: "Every level a class", On: true}}, event.Options...)
	}
	use := &templates.Choice{ID: "pg-use", Name: "use", Label: "Columns that train", Options: []templates.Option{{Value: "", Label: "These two", On: !st.All}, {Value: "all", Label: "All", On: st.All}}}
	return []templates.PlayControl{list("outcome", "Outcome", c.Outcomes, -1, c.Outcome), {Choice: event},
		list("cx", "Across", c.Numeric, 0, st.CX), list("cy", "Up", c.Numeric, 1, st.CY), {Seg: use}}
}

// stopSlider steps through values that are not even.
func stopSlider(s templates.Slider, now, preset float64, stops, ticks []float64) *templates.Slider {
	stops = slices.Clone(stops)
	for _, v := range []float64{now, preset} {
		if at, ok := slices.BinarySearch(stops, v); !ok {
			stops = slices.Insert(stops, at, v)
		}
	}
	at := func(v float64) float64 { i, _ := slices.BinarySearch(stops, v); return float64(i) }
	s.Value, s.Default = at(now), at(preset)
	for _, v := range stops {
		s.Stops = append(s.Stops, query.Text(v))
	}
	for _, v := range ticks {
		s.Ticks = append(s.Ticks, templates.Tick{At: at(v) / float64(len(stops)-1), Label: shortTick(v), On: v == now})
	}
	if s.Spoken == "" {
		s.Spoken = strings.TrimSpace(s.Symbol+s.Sub+" "+s.Label) + " " + viz.Short(now, 4)
	}
	return &s
}

func shortTick(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v == .5:
		return "½"
	case v >= 1000:
		return viz.Number(v/1000, 0) + " k"
	}
	return viz.Short(v, 2)
}

// methods are all of them by group; those that do not part these points are
// greyed.
func (a playAsk) methods(k int) []templates.OptionGroup {
	var all []templates.OptionGroup
	for _, h := range playMethods() {
		if len(all) == 0 || all[len(all)-1].Label != h.Group {
			all = append(all, templates.OptionGroup{Label: h.Group})
		}
		g := &all[len(all)-1]
		g.Options = append(g.Options, templates.Option{Value: h.ID, Label: h.Title, On: h.ID == a.st.Models[k].Method, Disabled: !slices.Contains(h.Kinds, a.kind)})
	}
	return all
}

// pars are the controls of one model.
func (a playAsk) pars(k int) []templates.PlayControl {
	m, slot := a.st.Models[k], playSlots[k]
	how := mustPlayMethod(m.Method)
	p := playPars{id: slot[:1] + "-", slot: slot, m: m, how: how, plane: a.plane}
	for _, param := range how.Params {
		p.param(param)
	}
	if m.Method == "interval" {
		p.boundaries(a.st, k)
	}
	if m.Method == "boost" {
		p.slide("rounds", "Trees", float64(m.Rounds), 100, 1, mostPlayRounds, 1)
		p.slide("depth", "Depth of a tree", float64(m.Depth), 1, 1, mostPlayDepth, 1)
		p.choose("rule", "Weight of a tree", m.Rule, []string{"half-log", "alpha-log", "line-search"}, map[string]string{"half-log": "½ log((1−ε)/ε)", "alpha-log": "α log((1−ε)/ε)", "line-search": "line search"})
	} else {
		var stops []float64
		for e := -7; e <= 1; e++ {
			for _, d := range []float64{1, 2, 5} {
				stops = append(stops, query.MustFloat(strconv.FormatFloat(d, 'g', -1, 64)+"e"+strconv.Itoa(e)))
			}
		}
		p.add(stopSlider(templates.Slider{ID: p.id + "l2", Name: slot + "l2", Label: "Penalty λ", Free: true}, m.L2, newPlayModel(m.Method).L2, stops, []float64{1e-7, 1e-4, .1, 50}))
	}
	p.features()
	if len(how.Solvers) > 1 {
		p.choose("solver", "Solver", m.Solver, how.Solvers, map[string]string{"auto": "Automatic", "cmp": "Alternating ξ and θ", "subgradient": "Subgradient", "pegasos": "Pegasos"})
	}
	return p.out
}

// playPars collects the controls of one model.
type playPars struct {
	id, slot string
	m        playModel
	how      playHow
	plane    bool
	out      []templates.PlayControl
}

func (p *playPars) add(s *templates.Slider) {
	p.out = append(p.out, templates.PlayControl{Slider: s})
}

func (p *playPars) slide(name, label string, now, preset, lo, hi, step float64) {
	p.add(widget.Slider(templates.Slider{ID: p.id + name, Name: p.slot + name, Label: label, Min: lo, Max: hi, Step: step, Value: now, Default: preset, Text: query.Text(now)}))
}

func (p *playPars) choose(name, label, now string, ids []string, titles map[string]string) {
	c := &templates.Choice{ID: p.id + name, Name: p.slot + name, Label: label}
	for _, id := range ids {
		c.Options = append(c.Options, templates.Option{Value: id, Label: titles[id], On: id == now})
	}
	p.out = append(p.out, templates.PlayControl{Choice: c})
}

// param is the control of one parameter of a loss.
func (p *playPars) param(param loss.Param) {
	now := p.m.Params[param.Name]
	preset := p.how.defaults()[param.Name]
	switch {
	case param.Type == loss.ID:
		titles := map[string]string{}
		for _, o := range param.Options {
			titles[o] = wording.UpperFirst(strings.ReplaceAll(o, "-", " "))
		}
		p.choose(param.Name, wording.UpperFirst(param.About), now, param.Options, titles)
	case param.Type == loss.Number && param.Log:
		v, plain := typedInf(now), typedInf(preset)
		s := stopSlider(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: param.Symbol, Free: true}, v, plain, widget.AlphaStops(), []float64{.25, 1, 4, math.Inf(1)})
		s.Hint = lossHint(p.how, p.m)
		p.add(s)
	case param.Type == loss.Number:
		v, plain := typedInf(now), typedInf(preset)
		symbol, sub := splitSubscript(param.Symbol)
		s := widget.Slider(templates.Slider{ID: p.id + param.Name, Name: p.slot + param.Name, Symbol: symbol, Sub: sub, Min: param.SliderMin, Max: param.SliderMax, Step: param.Step, Value: v, Default: plain, Text: wording.TwoDecimals(v),
			Ticks: []templates.Tick{{At: 0, Label: viz.Short(min(param.SliderMin, v), 3)}, {At: 1, Label: viz.Short(max(param.SliderMax, v), 3)}}})
		s.Spoken = param.Symbol + " " + wording.TwoDecimals(v) + ", " + param.About
		if param.Name == "t1" {
			s.Hint = lossHint(p.how, p.m)
		}
		p.add(s)
	}
}

func typedInf(text string) float64 {
	if text == "inf" || text == "∞" {
		return math.Inf(1)
	}
	v, _ := query.ParseNumber(text)
	return v
}

// splitSubscript parts t₁ into t and 1.
func splitSubscript(symbol string) (string, string) {
	for sub, digit := range map[string]string{"₁": "1", "₂": "2"} {
		if head, ok := strings.CutSuffix(symbol, sub); ok {
			return head, digit
		}
	}
	return symbol, ""
}

// lossHint says what the steered number does to a row.
func lossHint(how playHow, m playModel) string {
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
		return "A point costs at most " + viz.Number(b, 2) + "."
	}
	return "No cap on what a point costs."
}

// boundaries are one slider each, and common sets of them.
func (p *playPars) boundaries(st playState, k int) {
	pi := p.m.Pi
	for j, v := range pi {
		low, high := bounds.Room(pi, j)
		p.add(&templates.Slider{ID: p.id + "pi" + strconv.Itoa(j+1), Name: p.slot + "pi", Symbol: "π", Sub: strconv.Itoa(j + 1), Note: viz.Short(100*v, 4) + wording.Pc,
			Max: 1, Step: .01, Value: v, Default: v, Text: wording.TwoDecimals(v), Low: query.Text(low), High: query.Text(high), NoReset: true, Spoken: "Boundary " + strconv.Itoa(j+1) + " at " + viz.Short(100*v, 4) + " percent"})
	}
	sets := templates.PlayControl{Title: "Common boundaries"}
	for _, r := range bounds.Rules {
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
func (p *playPars) features() {
	m := p.m
	if m.Kernel == noKernel && p.plane {
		p.choose("features", "Features", m.Features, arena.FeatureKinds, map[string]string{arena.Linear: "Linear", arena.Quadratic: "Quadratic", arena.RBF: "64 bumps (RBF)"})
	}
	if p.how.Kernel {
		p.choose("kernel", "Kernel", m.Kernel, []string{noKernel, "rbf", "poly"}, map[string]string{noKernel: "None", "rbf": "Gaussian (RBF)", "poly": "Polynomial"})
	}
	if m.Kernel == "poly" {
		p.slide("degree", "Degree", float64(m.Degree), 3, 1, 5, 1)
	}
	if m.Kernel == "rbf" || m.Kernel == noKernel && m.Features == arena.RBF {
		s := stopSlider(templates.Slider{ID: p.id + "gamma", Name: p.slot + "gamma", Label: "Width γ", Free: true}, m.Gamma, 0, []float64{0, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50}, []float64{.1, 1, 10})
		if s.Hint = "Larger is narrower."; m.Gamma == 0 {
			s.Hint = "0 takes it from the points."
		}
		p.add(s)
	}
}

// formKeys names which controls there are, area by area: where two states
// agree, sliders need not be made anew.
func (a playAsk) formKeys() map[string]string {
	st := a.st
	keys := map[string]string{"side": strings.Join([]string{st.Data, st.Noise, string(a.kind), st.CX, st.CY, st.Outcome}, " ")}
	for k, m := range st.Models {
		keys[playSlots[k][:1]] = strings.Join([]string{m.Method, m.Features, m.Kernel, m.Solver, m.Rule, strconv.Itoa(len(m.Pi)), string(a.kind), presetPi(m.Pi)}, " ")
	}
	keys["points"] = strconv.FormatBool(st.Data == playOwn)
	return keys
}

// presetPi marks a common set of boundaries: its link is on.
func presetPi(pi []float64) string {
	for _, r := range bounds.Rules {
		if slices.Equal(r.Pi, pi) {
			return r.ID
		}
	}
	return ""
}

// formText writes the keys for the form, and reads them back.
func formText(keys map[string]string) string {
	return strings.Join([]string{keys["side"], keys["a"], keys["b"], keys["points"]}, "~")
}

func formOfText(text string) map[string]string {
	parts := append(strings.Split(text, "~"), "", "", "", "")
	return map[string]string{"side": parts[0], "a": parts[1], "b": parts[2], "points": parts[3]}
}

// playSliders are the words beside the sliders.
func (a playAsk) sliders() map[string]map[string]string {
	out := map[string]map[string]string{}
	take := func(c templates.PlayControl) {
		if s := c.Slider; s != nil {
			words := map[string]string{"hint": s.Hint, "spoken": s.Spoken}
			for key, v := range map[string]string{"note": s.Note, "low": s.Low, "high": s.High} {
				if v != "" {
					words[key] = v
				}
			}
			if s.Spoken == "" {
				delete(words, "spoken")
			}
			out[s.ID] = words
		}
	}
	for _, g := range a.groups() {
		for _, c := range g.Controls {
			take(c)
		}
	}
	for k := range a.st.Models {
		for _, c := range a.pars(k) {
			take(c)
		}
	}
	return out
}

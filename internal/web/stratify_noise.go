package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// plainRate is where a rate begins; of class noise that of the events, while
// the labels of the others stay.
const plainRate = .1

// noiseRate is a rate of a kind of noise, by its key in an address.
type noiseRate struct {
	key, label string
	plain      float64
	at         *float64
}

// noiseRates are the rates that a kind of noise has, none without noise.
func noiseRates(n *engine.Noise) []noiseRate {
	switch n.Kind {
	case "", synth.NoiseNone:
		return nil
	case synth.NoiseClass:
		return []noiseRate{{"rate_positive", "Share of the events", plainRate, &n.RatePositive},
			{"rate_negative", "Share of the others", 0, &n.RateNegative}}
	case synth.NoiseInstance:
		return []noiseRate{{"rate", "Share replaced", plainRate, &n.Rate}}
	}
	return []noiseRate{{"rate", "Share flipped", plainRate, &n.Rate}}
}

// noise takes the kind of noise with its rates; rates of another kind are left
// alone.
func (p *stateParser) noise() {
	kind, n := p.q.Get("noise"), &p.st.Noise
	switch {
	case kind == "" || kind == synth.NoiseNone:
		return
	case !slices.Contains(synth.NoiseKinds, kind):
		p.fail("noise", "There is no noise "+strconv.Quote(format.Cut(kind, 20))+". Using none.")
		return
	}
	n.Kind = kind
	for _, r := range noiseRates(n) {
		*r.at = r.plain
		text := p.q.Get(r.key)
		if text == "" {
			continue
		}
		v, ok := table.ParseNumber(strings.Replace(text, ",", ".", 1), ".")
		if !ok || !(v >= 0 && v <= 1) {
			p.fail(r.key, "A share lies between 0 and 100"+format.Pc+", not "+sharePercent(text)+". Using "+
				viz.Percent(r.plain, 0)+format.Pc+".")
			continue
		}
		*r.at = v
	}
}

func (st stratifyState) writeNoise(q url.Values) { writeNoise(q, st.Noise) }

// writeNoise adds the keys of noise on purpose.
func writeNoise(q url.Values, n engine.Noise) {
	for i, r := range noiseRates(&n) {
		if i == 0 {
			q.Set("noise", n.Kind)
		}
		if *r.at != r.plain {
			q.Set(r.key, form.Text(*r.at))
		}
	}
}

// mostNoise is where the sliders of a rate end.
const mostNoise = .5

func (x *steering) noisePanel(r *engine.Result) templates.NoisePanel {
	return noisePanel(x.st.Noise, "interval", r, x.problem)
}

// noisePanel are the controls of noise on purpose, and what it did; problem
// says what is wrong with a control, "" for nothing.
func noisePanel(n engine.Noise, task string, r *engine.Result, problem func(field string) string) templates.NoisePanel {
	kinds := engine.NoisesOf(task)
	other := "the other"
	if len(kinds) < len(synth.NoiseKinds) { // several classes
		other = "another"
	}
	p := templates.NoisePanel{Kind: templates.Choice{ID: "noise", Name: "noise", Label: "Kind"}, Error: problem("noise"),
		Note: noiseNote(n, other, r)}
	for _, kind := range format.Noises() {
		if slices.Contains(kinds, kind.ID) {
			p.Kind.Options = append(p.Kind.Options, templates.Option{Value: kind.ID, Label: kind.Title,
				On: kind.ID == cmp.Or(n.Kind, synth.NoiseNone)})
		}
	}
	for _, rate := range noiseRates(&n) {
		v, most := *rate.at, max(mostNoise, *rate.at)
		p.Rates = append(p.Rates, control.Percent(templates.Slider{ID: "n-" + rate.key, Name: rate.key, Label: rate.label,
			Note: viz.Percent(v, 0) + format.Pc,
			Max:  most, Step: .01, Value: v, Default: rate.plain, Error: problem(rate.key), Spoken: rate.label + " " +
				viz.Percent(v, 0) + " percent",
			Ticks: []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: viz.Percent(most, 0)}}}))
	}
	return p
}

// noiseNote says that labels are spoilt, of how many rows, and how they are
// judged.
func noiseNote(n engine.Noise, other string, r *engine.Result) string {
	if n.Kind == "" {
		return "Off: every row trains with its own label."
	}
	what := "labels spoilt on purpose for training; judged on clean labels."
	if n.Kind == synth.NoiseInstance {
		what = "rows got the features of " + other + " class on purpose for training; judged on clean rows."
	}
	if r == nil {
		return format.UpperFirst(what)
	}
	return viz.Count(r.Flow.Flipped) + " of " + viz.Count(r.Flow.Trained) + " " + what +
		" A higher rate spoils these and more; the seed says which."
}

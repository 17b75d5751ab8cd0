package web

import (
	"cmp"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

// mostNoise is where the sliders of a rate end.
const mostNoise = .5

// noisePanel are the controls of noise on purpose, and what it did; problem
// says what is wrong with a control, "" for nothing.
func noisePanel(st stratify.State, r *engine.Result, problem func(field string) string) templates.NoisePanel {
	kinds := engine.NoisesOf(cmp.Or(st.Task, "interval"))
	other := "the other"
	if len(kinds) < len(synth.NoiseKinds) { // several classes
		other = "another"
	}
	p := templates.NoisePanel{Kind: templates.Choice{ID: "noise", Name: "noise", Label: "Kind"}, Error: problem("noise"),
		Note: noiseNote(st.Noise.Kind, other, r)}
	for _, kind := range format.Noises() {
		if slices.Contains(kinds, kind.ID) {
			p.Kind.Options = append(p.Kind.Options, templates.Option{Value: kind.ID, Label: kind.Title,
				On: kind.ID == cmp.Or(st.Noise.Kind, synth.NoiseNone)})
		}
	}
	for _, key := range []string{"rate", "rate_positive", "rate_negative"} {
		f := form.Get(&st, key)
		if f.Absent {
			continue
		}
		most := max(mostNoise, f.Number())
		f.High = most
		s := control.Of(f)
		s.ID, s.Note, s.Error = "n-"+key, viz.Percent(f.Number(), 0)+format.Pc, problem(key)
		s.Spoken = f.Label + " " + viz.Percent(f.Number(), 0) + " percent"
		s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: viz.Percent(most, 0)}}
		p.Rates = append(p.Rates, *s)
	}
	return p
}

// noiseNote says that labels are spoilt, of how many rows, and how they are
// judged.
func noiseNote(kind, other string, r *engine.Result) string {
	if kind == "" {
		return "Off: every row trains with its own label."
	}
	what := "labels spoilt on purpose for training; judged on clean labels."
	if kind == synth.NoiseInstance {
		what = "rows got the features of " + other + " class on purpose for training; judged on clean rows."
	}
	if r == nil {
		return format.UpperFirst(what)
	}
	return viz.Count(r.Flow.Flipped) + " of " + viz.Count(r.Flow.Trained) + " " + what +
		" A higher rate spoils these and more; the seed says which."
}

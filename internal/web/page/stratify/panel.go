package stratify

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// panel is the column of controls; r is nil before there is a result. Every task has the same controls for the
// training rows, the folds and the choice of λ. A lean page leaves out the list of predictors and the hidden state.
func (p *Page) panel(r *engine.Result) templates.Panel {
	st := p.State
	v := templates.Panel{
		How: howChoice(st, r), Lambda: p.lambdaSlider(r), LambdaNote: st.lambdaNote(),
		Folds: foldsChoice(st.Folds), FoldsError: p.problem("folds"),
		Seed: templates.Input{ID: "seed", Name: "seed", Label: "Seed", Value: strconv.FormatUint(st.Seed, 10),
			Error: p.problem("seed")},
		Noise: p.noisePanel(r),
	}
	v.Hidden = []templates.Field{{Name: "shows", Value: p.Shows()}}
	hidden := []string{"positive", "negative", "level", "score", "group", "x", "spline", "band", "tab"}
	if st.Task != "" {
		v.Classes, v.Model = p.classesPanel(), p.lossPanel()
	} else {
		hidden = append(hidden, "outcome") // the other tasks have a control for it
		v.Bands, v.Model = p.bandsPanel(r), p.methodPanel(r)
		if c := p.taskChoice(); len(c.Options) > 1 {
			v.Bands.Task = &c
		}
		if !p.lean {
			v.Predictors = p.predictors()
		}
	}
	if p.lean {
		return v
	}
	for _, pair := range form.HiddenPairs(&st, hidden...) {
		v.Hidden = append(v.Hidden, templates.Field{Name: pair.Key, Value: pair.Value})
	}
	return v
}

// taskChoice offers the tasks that the outcome allows, with bands and with classes.
func (p *Page) taskChoice() templates.Choice {
	st, col := p.State, p.table.Column(p.State.Outcome)
	levels, numeric := 0, false
	if col != nil {
		numeric = col.Num != nil
		for _, n := range col.Count {
			if n > 0 {
				levels++
			}
		}
	}
	now := cmp.Or(st.Task, bandsTask)
	var offered []templates.Option
	add := func(id, label string, can bool) {
		if can || id == now {
			offered = append(offered, templates.Option{Value: id, Label: label})
		}
	}
	add(bandsTask, "Risk bands of an event", levels > 1)
	for _, t := range task.ClassTasks() {
		several := levels > 2 && levels <= table.MaxLevels
		add(t.ID(), t.Words().Label, several || t.Ordered() && numeric && levels != 2)
	}
	return choice("task", "task", "Kind of task", now, offered...)
}

// howChoice are the ways to choose λ, with the value that each gives.
func howChoice(st State, r *engine.Result) templates.Choice {
	tuned, oneSE, how := "", "", L2Text(st.L2)
	if r != nil && len(r.Tuning) > 1 {
		tuned = viz.Short(r.Tuning[crossfit.Best(r.Tuning)].L2, 3)
		if r.L2OneSE != nil {
			oneSE = viz.Short(*r.L2OneSE, 3)
		}
	}
	if !st.L2.Tuned() {
		how = "hand"
	}
	return choice("how", "how", "How λ is chosen", how,
		templates.Option{Value: "auto", Label: st.tuningLabel(), Note: tuned},
		templates.Option{Value: "1se", Label: "One-standard-error rule", Note: oneSE},
		templates.Option{Value: "hand", Label: "Fixed value"})
}

// lambdaSlider moves through powers of two, and includes the λ in use where it is none.
func (p *Page) lambdaSlider(r *engine.Result) templates.Slider {
	now := p.State.L2.Value
	if p.State.L2.Tuned() {
		now = math.Exp2(-8)
		if r != nil && r.L2 > 0 { // trees have none
			now = r.L2
		}
	}
	s := templates.Slider{ID: "lambda", Name: "lambda", Label: p.State.lambdaLabel(), NoReset: true,
		Error: p.problem("l2"), Spoken: "Penalty lambda " + viz.Short(now, 3)}
	var stops []float64
	for e := -15; e <= 10; e++ {
		stops = append(stops, math.Exp2(float64(e)))
	}
	if !slices.Contains(stops, now) {
		stops = append(stops, now)
		slices.Sort(stops)
	}
	for i, v := range stops {
		s.Stops = append(s.Stops, L2Text(fit.L2{Value: v}))
		if v == now {
			s.Value, s.Default = float64(i), float64(i)
		}
	}
	last := float64(len(stops) - 1)
	for i, label := range []string{"3 × 10⁻⁵", "", "0.03", "1", "", "1024"} {
		at := float64(slices.Index(stops, math.Exp2(float64(-15+5*i)))) / last
		s.Ticks = append(s.Ticks, templates.Tick{At: at, Label: label})
	}
	return s
}

// mostNoise is the upper end of the sliders of noise rates.
const mostNoise = .5

// noisePanel are the controls of injected noise, with its effect.
func (p *Page) noisePanel(r *engine.Result) templates.NoisePanel {
	st := p.State
	kinds := runspec.NoisesOf(cmp.Or(st.Task, "interval"))
	var offered []templates.Option
	for _, kind := range format.Noises() {
		if slices.Contains(kinds, kind.ID) {
			offered = append(offered, templates.Option{Value: kind.ID, Label: kind.Title})
		}
	}
	v := templates.NoisePanel{Kind: choice("noise", "noise", "Kind", cmp.Or(st.Noise.Kind, synth.NoiseNone), offered...),
		Error: p.problem("noise"), Note: noiseNote(st, r)}
	for _, key := range []string{"rate", "rate_positive", "rate_negative"} {
		f := form.Get(&st, key)
		if f.Absent {
			continue
		}
		most := max(mostNoise, f.Number())
		f.High = most
		s := control.NumericSlider(f)
		s.ID, s.Note, s.Error = "n-"+key, viz.Percent(f.Number(), 0)+format.Pc, p.problem(key)
		s.Spoken = f.Label + " " + viz.Percent(f.Number(), 0) + " percent"
		s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: viz.Percent(most, 0)}}
		v.Rates = append(v.Rates, *s)
	}
	return v
}

// noiseNote gives the number of corrupted rows and says that the evaluation uses clean ones.
func noiseNote(st State, r *engine.Result) string {
	if st.Noise.Kind == "" {
		return "Off: every row is trained with its recorded label."
	}
	what := "training labels flipped; evaluated on the recorded labels."
	if st.Noise.Kind == synth.NoiseInstance {
		other := "the other"
		if st.Task != "" {
			other = "another"
		}
		what = "rows received the features of " + other + " class for training; evaluated on the recorded rows."
	}
	if r == nil {
		return phrase.UpperFirst(what)
	}
	text := phrase.Int(r.Flow.Flipped) + " of " + phrase.Int(r.Flow.Trained) + " " + what +
		" A higher rate flips these and more"
	if st.Noise.random() {
		text += "; seed and draw decide which"
	}
	return text + "."
}

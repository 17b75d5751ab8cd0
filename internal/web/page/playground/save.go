package playground

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// Save starts runs of model A, B or both, as "which" in the form says, on a dataset of the same points. The form
// also contains the keys of the state's address.
func (p *Playground) Save(ctx context.Context, values url.Values) ([]store.Run, error) {
	which := values.Get("which")
	slots, ok := map[string][]int{"a": {0}, "b": {1}, "both": {0, 1}}[which]
	if !ok {
		return nil, usererr.BadField("which", "must be a, b or both (got %q)", format.Cut(which, 20))
	}
	st, bad := parse(values)
	if len(bad) > 0 {
		return nil, form.Error(bad)
	}
	specs, err := p.specs(ctx, st, slots)
	if err != nil {
		return nil, err
	}
	before, err := p.shown(ctx, st, slots)
	if err != nil {
		return nil, err
	}
	runs := make([]store.Run, len(specs))
	for i, spec := range specs {
		if runs[i], err = p.Start(ctx, spec, before[i]); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// shown are the accuracies of the models on the page; nil for a model with abstentions, which a run evaluates
// differently.
func (p *Playground) shown(ctx context.Context, st state, slots []int) ([]*engine.Shown, error) {
	leave, err := p.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := p.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	var a Answer
	st = a.suit(st, b)
	if err := p.admit(ctx, st, b, slots...); err != nil {
		return nil, err
	}
	before := make([]*engine.Shown, len(slots))
	for i, k := range slots {
		m, err := p.atFrame(ctx, st, k, b)
		if err != nil {
			return nil, err
		}
		if !m.ok() {
			continue
		}
		if m.verdict, err = m.fit.Evaluate(ctx, m.model); err != nil {
			return nil, err
		}
		if v := m.verdict; v.Answered == v.Rows && v.CleanAccuracy.Value != nil {
			before[i] = &engine.Shown{How: "playground: " + m.testRows(),
				Metrics: map[string]float64{"accuracy": *v.CleanAccuracy.Value}}
		}
	}
	return before, nil
}

// specs are the runs of the models, on datasets that are made if they do not exist. Nothing is made if one of the
// models cannot be a run.
func (p *Playground) specs(ctx context.Context, st state, slots []int) ([]runspec.Spec, error) {
	b, err := p.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	var a Answer
	if st = a.suit(st, b); len(a.Problems) > 0 {
		return nil, form.Error(a.Problems)
	}
	specs := make([]runspec.Spec, len(slots))
	for i, k := range slots {
		if specs[i], err = b.spec(st, st.Models[k]); err != nil {
			return nil, err
		}
		if err := p.check(ctx, st, b, st.Models[k], specs[i]); err != nil {
			return nil, err
		}
	}
	made := map[string]store.Dataset{}
	for i, k := range slots {
		f := st.Models[k].Features + form.Text(st.Models[k].Gamma)
		if st.Models[k].Features == playground.Linear {
			f = playground.Linear
		}
		d, ok := made[f]
		if !ok {
			if d, err = p.pointsSet(ctx, st, b, st.Models[k]); err != nil {
				return nil, err
			}
			made[f] = d
		}
		b.on(&specs[i], st, d)
	}
	return specs, nil
}

// spec is the run of a model, without the dataset.
func (b *bench) spec(st state, m model) (runspec.Spec, error) {
	set, err := m.setting(len(b.sample.Levels), st.Seed)
	if err != nil {
		return runspec.Spec{}, err
	}
	about := task.For(set.Method.Spec, b.sample.Ordered)
	spec := runspec.Spec{Name: format.Cut(titleOf(m, set), 150), Task: about.ID(), Model: set.Method.Spec, Seed: st.Seed,
		Validation: runspec.Validation{Kind: "cv"}}
	if st.Test > 0 {
		spec.Validation = runspec.Validation{Kind: "split", Test: st.Test}
	}
	if !slices.Contains(runspec.NoisesOf(spec.Task), st.Noise) {
		return runspec.Spec{}, usererr.BadField("noise",
			"cannot be %s in a multiclass run: choose another kind to save one",
			phrase.LowerFirst(format.NoiseTitle(st.Noise)))
	}
	if spec.Noise = (runspec.Noise{Kind: st.Noise, Rate: st.Rate}); st.Noise == synth.NoiseNone {
		spec.Noise.Rate = 0
	} else if st.Noise == synth.NoiseClass {
		spec.Noise = runspec.Noise{Kind: st.Noise, RatePositive: st.Rate, RateNegative: st.Rate0}
	}
	switch {
	case mustMethod(m.Method).banded():
		spec.Boundaries = m.Pi
	case about.Event():
		spec.Boundaries, spec.Mode = []float64{.5}, "hard"
	}
	if k := spec.Model.Kernel; k != nil && k.Gamma == nil {
		k.Gamma = 1 / float64(b.sample.X.Cols)
	}
	if m.Features != playground.Linear {
		off := false // these features are already in the units they train in
		spec.Model.Standardize = &off
	}
	return spec, nil
}

// saveNote says what saved runs have in common with the page and what differs.
func (st state) saveNote(k kind) string {
	text := "Saved runs use the same points, noise and seed"
	switch {
	case st.Test > 0:
		text += ", and hold out the same points. They are fitted to convergence, so the last digit may differ."
	case st.Data == userPoints || st.dataset() != "":
		text += ". They are evaluated by cross-validation; this page uses the true labels of the training points."
	default:
		text += ". They are evaluated by cross-validation; this page uses new points."
	}
	if !(synth.Noise{Kind: st.Noise}).ByMargin() {
		return text
	}
	if k != binary {
		return "Multiclass runs do not support noise by distance from the boundary: choose another kind to save one."
	}
	if st.Models[0].Features != playground.Linear || st.Models[1].Features != playground.Linear {
		text += " A run computes the boundary from its own columns: with nonlinear features, other labels are flipped."
	}
	return text
}

// on sets the dataset of a run.
func (b *bench) on(spec *runspec.Spec, st state, d store.Dataset) {
	spec.Dataset, spec.Outcome = d.ID, d.Choice.Outcome
	if d.ID == st.dataset() {
		spec.Outcome = cmp.Or(st.Outcome, d.Choice.Outcome)
		if !st.All {
			spec.Predictors = slices.Clone(b.sample.Columns)
		}
	}
	if !spec.Multiclass() {
		spec.Negative, spec.Positive = table.OneLevel(b.sample.Levels[0]), table.OneLevel(b.sample.Levels[1])
	} else {
		spec.Levels = slices.Clone(b.sample.Levels)
	}
}

// pointsSet is the dataset of the points as a model uses them: the original dataset, that of the generator, or a
// new file.
func (p *Playground) pointsSet(ctx context.Context, st state, b *bench, m model) (store.Dataset, error) {
	linear := m.Features == playground.Linear
	switch id := st.dataset(); {
	case id != "" && linear && p.whole(ctx, st, b):
		return p.dataset(ctx, id)
	case id == "" && st.Data != userPoints && linear && st.Data != "long-servedio-2d":
		return p.Datasets.Generate(ctx, st.Data, st.N, st.Seed, playground.Recipe(st.Data))
	}
	file, choice, err := b.file(m)
	if err != nil {
		return store.Dataset{}, err
	}
	return p.Datasets.Keep(ctx, b.name(st), bytes.NewReader(file), choice, st.dataset() == "")
}

// check refuses a run that could not start, before anything is made for it or for the other model.
func (p *Playground) check(ctx context.Context, st state, b *bench, m model, spec runspec.Spec) error {
	if m.Features == playground.Linear && st.dataset() != "" && p.whole(ctx, st, b) {
		d, err := p.dataset(ctx, st.dataset())
		if err != nil {
			return err
		}
		t, err := p.Datasets.Table(ctx, d)
		if err != nil {
			return err
		}
		b.on(&spec, st, d)
		return spec.Validate(t)
	}
	if _, err := cost.Hold(ctx, "A file of these points", b.fileMemory(m)); err != nil {
		return err
	}
	file, choice, err := b.file(m)
	if err != nil {
		return err
	}
	t, err := table.Read(ctx, file, table.Options{}, table.DefaultLimits)
	if err != nil {
		return err
	}
	b.on(&spec, st, store.Dataset{ID: "not made yet", Choice: choice})
	return spec.Validate(t)
}

// whole reports whether a dataset is used unchanged: all its rows, and two levels with their own names.
func (p *Playground) whole(ctx context.Context, st state, b *bench) bool {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return false
	}
	t, err := p.Datasets.Table(ctx, d)
	if err != nil || t.Rows > st.N {
		return false
	}
	y := t.Column(cmp.Or(st.Outcome, d.Choice.Outcome))
	for _, l := range b.sample.Levels {
		if y == nil || !slices.Contains(y.Levels, l) {
			return false
		}
	}
	return true
}

// fileMemory is an upper bound of the memory to write and read the file of a model's points.
func (b *bench) fileMemory(m model) int64 {
	columns := b.sample.X.Cols
	if m.Features != playground.Linear {
		columns += 64 // for either kind of derived features, which need two columns
	}
	const cell = 24 // bytes of a number with all digits
	return table.ReadMemory(cell * int64(b.sample.X.Rows) * int64(columns+1))
}

// file writes the points as a model uses them, and the choice of the outcome.
func (b *bench) file(m model) ([]byte, store.Choice, error) {
	names, x := b.sample.Columns, b.sample.X
	if m.Features != playground.Linear {
		var err error
		if names, x, err = b.sample.Features(playground.Features{Kind: m.Features, Gamma: m.Gamma}); err != nil {
			return nil, store.Choice{}, err
		}
	}
	outcome := "class"
	for slices.Contains(names, outcome) {
		outcome += "_"
	}
	var file bytes.Buffer
	out := table.NewCSV(&file)
	out.Write(append(slices.Clone(names), outcome)...)
	record := make([]string, len(names)+1)
	for i, c := range b.sample.Class {
		for j, v := range x.Row(i) {
			record[j] = strconv.FormatFloat(v, 'f', -1, 64)
		}
		record[len(names)] = b.sample.Levels[c]
		out.Write(record...)
	}
	if err := out.Flush(); err != nil {
		return nil, store.Choice{}, fmt.Errorf("write points: %w", err)
	}
	choice := store.Choice{Outcome: outcome}
	if len(b.sample.Levels) == 2 {
		choice.Negative, choice.Positive = table.OneLevel(b.sample.Levels[0]), table.OneLevel(b.sample.Levels[1])
	}
	return file.Bytes(), choice, nil
}

func (b *bench) name(st state) string {
	n := phrase.Count(len(b.sample.Class), "point")
	switch {
	case st.Data == userPoints:
		return "Playground, " + n + " placed manually"
	case st.dataset() != "":
		return "Playground, " + n + " of a dataset"
	}
	return fmt.Sprintf("Playground, %s, %s, seed %d", generatorTitle(st.Data), n, st.Seed)
}

func generatorTitle(id string) string {
	return synth.Generators[slices.IndexFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == id })].Title
}

package playground

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/format"
)

// pointsSet is the dataset of the points as a model sees them: the one they come
// from, the generator's own, or columns written for it.
func (p *Playground) pointsSet(ctx context.Context, st state, b *bench, m model) (store.Dataset, error) {
	linear := m.Features == playground.Linear
	switch id := st.dataset(); {
	case id != "" && linear && p.whole(ctx, st, b):
		return p.dataset(ctx, id)
	case id == "" && st.Data != ownPoints && linear && st.Data != "long-servedio-2d":
		return p.Datasets.Generate(ctx, st.Data, st.N, st.Seed, playground.Recipe(st.Data))
	}
	file, choice, err := b.file(m)
	if err != nil {
		return store.Dataset{}, err
	}
	return p.Datasets.Keep(ctx, b.name(st), bytes.NewReader(file), choice, st.dataset() == "")
}

// check refuses a run that could not start on the points as a model sees them,
// before anything is made for it or for the other model.
func (p *Playground) check(ctx context.Context, st state, b *bench, m model, spec engine.Spec) error {
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

// whole reports whether a dataset was taken as it is: all its rows, of two
// levels with names of their own.
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

// file writes the points as a model sees them, and says what to predict of them.
func (b *bench) file(m model) ([]byte, store.Choice, error) {
	names, x := b.sample.Columns, b.sample.X
	if m.Features != playground.Linear {
		var err error
		if names, x, err = b.sample.Mapped(playground.Features{Kind: m.Features, Gamma: m.Gamma}); err != nil {
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
	n := format.Count(len(b.sample.Class), "point")
	switch {
	case st.Data == ownPoints:
		return "Playground, " + n + " placed by hand"
	case st.dataset() != "":
		return "Playground, " + n + " of a dataset"
	}
	return fmt.Sprintf("Playground, %s, %s, seed %d", generatorTitle(st.Data), n, st.Seed)
}

func generatorTitle(id string) string {
	return synth.Generators[slices.IndexFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == id })].Title
}

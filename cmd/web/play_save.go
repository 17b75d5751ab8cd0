package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/cmd/web/query"
	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/arena"
	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/synth"
	"taper/internal/engine/train"
	"taper/internal/store"
)

// playSave answers POST /playground/save: model A, B or both of a state as runs
// on a dataset of the same points.
func (s *Server) playSave(c echo.Context) error {
	which, err := formValue(c, "which")
	if err != nil {
		return err
	}
	slots, ok := map[string][]int{"a": {0}, "b": {1}, "both": {0, 1}}[which]
	if !ok {
		return errs.BadField("which", "must be a, b or both (got %q)", wording.Cut(which, 20))
	}
	st, bad := parsePlay(c.Request().PostForm)
	if len(bad) > 0 {
		return query.Error(bad)
	}
	ctx := c.Request().Context()
	specs, err := s.playSpecs(ctx, st, slots)
	if err != nil {
		return err
	}
	to := "/runs"
	for _, spec := range specs {
		run, err := s.startRun(ctx, spec)
		if err != nil {
			return err
		}
		if to = "/runs/" + run.ID; len(specs) > 1 {
			to = "/runs"
		}
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// playSpecs are the runs of models, on datasets that are made where there is
// none. Nothing is made for a model that no run can be of.
func (s *Server) playSpecs(ctx context.Context, st playState, slots []int) ([]engine.Spec, error) {
	b, err := s.play.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	var a playAnswer
	if st.Models = a.suit(st, b); len(a.Problems) > 0 {
		return nil, query.Error(a.Problems)
	}
	specs := make([]engine.Spec, len(slots))
	for i, k := range slots {
		if specs[i], err = b.spec(st, st.Models[k]); err != nil {
			return nil, err
		}
	}
	made := map[string]store.Dataset{}
	for i, k := range slots {
		f := st.Models[k].Features + query.Text(st.Models[k].Gamma)
		if st.Models[k].Features == arena.Linear {
			f = arena.Linear
		}
		d, ok := made[f]
		if !ok {
			if d, err = s.playSet(ctx, st, b, st.Models[k]); err != nil {
				return nil, err
			}
			made[f] = d
		}
		b.on(&specs[i], st, d)
	}
	return specs, nil
}

// spec is the run of a model, without its data.
func (b *playBench) spec(st playState, m playModel) (engine.Spec, error) {
	set, err := m.setting(len(b.sample.Levels), st.Seed)
	if err != nil {
		return engine.Spec{}, err
	}
	spec := engine.Spec{Name: wording.Cut(playTitle(m, set), 150), Task: b.task(m), Model: set.Method.Spec, Seed: st.Seed,
		Validation: engine.Validation{Kind: "cv"}}
	if st.Test > 0 {
		spec.Validation = engine.Validation{Kind: "split", Test: st.Test}
	}
	if spec.Noise = (engine.Noise{Kind: st.Noise, Rate: st.Rate}); st.Noise == synth.NoiseNone {
		spec.Noise.Rate = 0
	} else if st.Noise == synth.NoiseClass {
		spec.Noise = engine.Noise{Kind: st.Noise, RatePositive: st.Rate, RateNegative: st.Rate0}
	}
	switch spec.Task {
	case "interval":
		spec.Boundaries = m.Pi
	case "binary":
		spec.Boundaries, spec.Mode = []float64{.5}, "hard"
	}
	if k := spec.Model.Kernel; k != nil && k.Gamma == nil {
		k.Gamma = 1 / float64(b.sample.X.Cols)
	}
	if m.Features != arena.Linear {
		off := false // the columns of these features are in the units they train in
		spec.Model.Standardize = &off
	}
	return spec, nil
}

// task names the task of a model.
func (b *playBench) task(m playModel) string {
	switch h := mustPlayMethod(m.Method); {
	case m.Method == "interval":
		return "interval"
	case h.Family.Kind == loss.KindMargin:
		return "binary"
	case m.Method == "al-abstain":
		return "abstain"
	case h.Group == groupOrdered, b.sample.Ordered:
		return "ordinal"
	}
	return "multiclass"
}

// on puts the run on a dataset.
func (b *playBench) on(spec *engine.Spec, st playState, d store.Dataset) {
	spec.Dataset, spec.Outcome = d.ID, d.Choice.Outcome
	if d.ID == st.dataset() {
		spec.Outcome = or(st.Outcome, d.Choice.Outcome)
		if !st.All {
			spec.Predictors = slices.Clone(b.sample.Columns)
		}
	}
	if spec.Task == "interval" || spec.Task == "binary" {
		spec.Negative, spec.Positive = b.sample.Levels[0], b.sample.Levels[1]
	} else {
		spec.Levels = slices.Clone(b.sample.Levels)
	}
}

// playSet is the dataset of the points as a model sees them: the one they come
// from, the generator's own, or columns written for it.
func (s *Server) playSet(ctx context.Context, st playState, b *playBench, m playModel) (store.Dataset, error) {
	linear := m.Features == arena.Linear
	switch id := st.dataset(); {
	case id != "" && linear && b.whole(ctx, s, st):
		return s.db.Dataset(ctx, id)
	case id == "" && st.Data != playOwn && linear && st.Data != "long-servedio-2d":
		return s.intake.Generate(ctx, st.Data, st.N, st.Seed, arena.Recipe(st.Data))
	}
	names, x, err := b.sample.Mapped(arena.Features{Kind: m.Features, Gamma: m.Gamma})
	if linear {
		names, x, err = b.sample.Columns, b.sample.X, nil
	}
	if err != nil {
		return store.Dataset{}, err
	}
	return s.writeSet(ctx, st, b, names, x)
}

// whole reports whether a dataset was taken as it is: all its rows, of two
// levels with names of their own.
func (b *playBench) whole(ctx context.Context, s *Server, st playState) bool {
	d, err := s.db.Dataset(ctx, st.dataset())
	if err != nil {
		return false
	}
	t, err := s.intake.Table(ctx, d)
	if err != nil || t.Rows > st.N {
		return false
	}
	y := t.Column(or(st.Outcome, d.Choice.Outcome))
	for _, l := range b.sample.Levels {
		if y == nil || !slices.Contains(y.Levels, l) {
			return false
		}
	}
	return true
}

// writeSet stores points as a file of their own.
func (s *Server) writeSet(ctx context.Context, st playState, b *playBench, names []string, x train.Matrix) (store.Dataset, error) {
	outcome := "class"
	for slices.Contains(names, outcome) {
		outcome += "_"
	}
	var file bytes.Buffer
	out := csv.NewWriter(&file)
	_ = out.Write(append(slices.Clone(names), outcome)) // into memory
	record := make([]string, len(names)+1)
	for i, c := range b.sample.Class {
		for j, v := range x.Row(i) {
			record[j] = strconv.FormatFloat(v, 'f', -1, 64)
		}
		record[len(names)] = b.sample.Levels[c]
		_ = out.Write(record)
	}
	if out.Flush(); out.Error() != nil {
		return store.Dataset{}, fmt.Errorf("write points: %w", out.Error())
	}
	up, err := s.intake.Upload(&file)
	if err != nil {
		return store.Dataset{}, err
	}
	defer up.Abort()
	choice := store.Choice{Outcome: outcome}
	if len(b.sample.Levels) == 2 {
		choice.Negative, choice.Positive = b.sample.Levels[0], b.sample.Levels[1]
	}
	return s.intake.Create(ctx, up, newDataset{Name: b.name(st), File: "playground.csv", Choice: choice, Simulated: st.dataset() == "", Source: "the playground"})
}

func (b *playBench) name(st playState) string {
	n := wording.Count(len(b.sample.Class), "point")
	switch {
	case st.Data == playOwn:
		return "Playground, " + n + " placed by hand"
	case st.dataset() != "":
		return "Playground, " + n + " of a dataset"
	}
	return fmt.Sprintf("Playground, %s, %s, seed %d", generator(st.Data).Title, n, st.Seed)
}

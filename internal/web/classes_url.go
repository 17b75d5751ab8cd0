package web

import (
	"net/url"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/store"
	"taper/internal/web/form"
)

// query is the address of the state.
func (st severalState) query(d store.Dataset) url.Values {
	q := url.Values{"task": {st.Task}}
	set := func(key, value, otherwise string) {
		if value != otherwise {
			q.Set(key, value)
		}
	}
	set("outcome", st.Outcome, d.Choice.Outcome)
	set("group", st.Group, d.Choice.Group)
	for key, list := range map[string][]string{"level": st.Levels, "score": st.ScoreOnly, "x": st.Predictors} {
		if len(list) > 0 {
			q[key] = list
		}
	}
	if st.Bins > 0 {
		q.Set("bins", strconv.Itoa(st.Bins))
		set("by", st.BinsBy, "length")
	}
	set("method", st.Loss, engine.LossesOf(st.Task)[0])
	set("kind", st.Kind, "linear")
	set("features", st.Features, "")
	family, _ := loss.FamilyByID(st.Loss)
	for _, p := range family.Params {
		if v, ok := st.Numbers[p.Name]; ok && v != p.Default.Number {
			q.Set(p.Name, form.Text(v))
		}
		if p.Type == loss.ID {
			set(p.Name, st.Base, p.Default.ID)
		}
	}
	for _, row := range st.Costs {
		for _, v := range row {
			q.Add("cost", form.Text(v))
		}
	}
	set("l2", l2Text(st.L2), "auto")
	writeNoise(q, st.Noise)
	set("folds", strconv.Itoa(st.Folds), strconv.Itoa(defaultFolds))
	set("seed", strconv.FormatUint(st.Seed, 10), strconv.Itoa(defaultSeed))
	return q
}

func (st severalState) url(d store.Dataset) string {
	return withQuery("/stratify/"+d.ID, st.query(d).Encode())
}

// spec is the run that the state shows; k is the number of classes.
func (st severalState) spec(d store.Dataset, k int) engine.Spec {
	s := engine.Spec{
		Dataset: d.ID, Outcome: st.Outcome, ScoreOnly: st.ScoreOnly, Levels: st.Levels, Predictors: st.Predictors,
		Group: st.Group, Weights: d.Choice.Weights,
		Task: st.Task, Seed: st.Seed, Noise: st.Noise, Validation: engine.Validation{Kind: "cv", Folds: st.Folds},
		Model: engine.ModelSpec{Kind: "linear", Loss: st.Loss, L2: st.L2, Features: st.Features, Tuning: "same-folds",
			Params: map[string]any{}},
	}
	if s.Predictors == nil && st.Outcome == d.Choice.Outcome {
		s.Predictors = d.Choice.Predictors
	}
	if st.Bins > 0 {
		s.Bins, s.Levels, s.ScoreOnly = &engine.Bins{Count: st.Bins, By: st.BinsBy}, nil, nil
	}
	if st.Kind != "linear" {
		s.Model.Kind, s.Model.Kernel = "kernel", &engine.Kernel{Name: st.Kind, Gamma: "cv"}
	} else if !st.L2.Tuned() {
		s.Model.Tuning = ""
	}
	family, _ := loss.FamilyByID(st.Loss)
	for _, p := range family.Params {
		switch p.Type {
		case loss.Number:
			s.Model.Params[p.Name] = st.Numbers[p.Name]
		case loss.ID:
			s.Model.Params[p.Name] = st.Base
		case loss.Matrix:
			s.Model.Params[p.Name] = st.costsFor(k)
		}
	}
	return s.WithDefaults()
}

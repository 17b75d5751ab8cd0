package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// TestOneDoor: a study refuses a model exactly where no task of a run takes it,
// with a sentence of a run; what it accepts it fits.
func TestOneDoor(t *testing.T) {
	two, three := tableFor(t, "gmm"), tableFor(t, "blobs")
	fitted := 0
	for _, m := range doorModels() {
		var sentences []string
		accepted := false
		for _, about := range task.All {
			data := three
			if about.Event() {
				data = two
			}
			refused := refusals(data, about.ID(), m)
			accepted = accepted || len(refused) == 0
			sentences = append(sentences, refused...)
		}
		s := Spec{Dataset: Source{Generator: "gmm"}, Models: []fit.Spec{m}}.WithDefaults()
		err := s.Validate(nil)
		name := fmt.Sprintf("%s %s, solver %q, features %q, kernel %+v", m.Kind, m.Loss, m.Solver, m.Features, m.Kernel)
		if (err == nil) != accepted {
			t.Errorf("%s: a run accepts: %v; a study: %v", name, accepted, err)
			continue
		}
		if e, ok := usererr.As(err); ok {
			for _, f := range e.Fields {
				if text := strings.TrimPrefix(f.Field, "models[0]") + " " + f.Message; m.Loss != "nope" && !slices.Contains(sentences, text) {
					t.Errorf("%s: a study says %q, runs %q", name, text, sentences)
				}
			}
			continue
		}
		if err := fitTiny(t, s.Models[0]); err != nil {
			t.Errorf("%s is accepted and not fitted: %v", name, err)
		}
		fitted++
	}
	if fitted < 60 {
		t.Errorf("%d models fitted: the test has lost its models", fitted)
	}
}

// doorModels are all kinds and losses, and each of their settings in turn.
func doorModels() (all []fit.Spec) {
	ids := []string{"nope"}
	for _, f := range loss.Families {
		ids = append(ids, f.ID)
	}
	fixed := fit.L2{Value: 0.1}
	for _, id := range ids {
		for _, kind := range []string{"linear", "kernel", "boost", "magic"} {
			base := fit.Spec{Kind: kind, Loss: id, L2: fixed}
			if kind == "kernel" {
				base.Kernel = &fit.Kernel{Name: "rbf", Gamma: 0.5}
			}
			if kind == "boost" {
				base.Rounds = 3
			}
			all = append(all, base)
			for _, solver := range []string{"lbfgs", "cmp", "newton", "subgradient", "smo", "pegasos"} {
				m := base
				m.Solver = solver
				all = append(all, m)
			}
			for _, features := range []string{"mc", "th", "nope"} {
				m := base
				m.Features = features
				all = append(all, m)
			}
			for _, l2 := range []fit.L2{{Value: -1}, {Mode: "cv"}, {Mode: "cv-1se"}} {
				m := base
				m.L2 = l2
				all = append(all, m)
			}
			if kind != "kernel" {
				continue
			}
			for _, k := range []fit.Kernel{{}, {Name: "linear"}, {Name: "poly", Degree: 2, Gamma: 0.1}, {Name: "poly", Degree: 99}, {Name: "nope"}, {Name: "rbf", Gamma: -1.}, {Name: "rbf", Gamma: "wide"}} {
				m := base
				m.Kernel = &k
				all = append(all, m)
			}
		}
	}
	return all
}

// refusals are the sentences of a run about the model, its field without "model".
func refusals(data *table.Table, task string, m fit.Spec) (all []string) {
	s := runspec.Spec{Outcome: "y", Task: task, Model: m}
	e, ok := usererr.As(s.Validate(data))
	if !ok {
		return nil
	}
	for _, f := range e.Fields {
		if rest, is := strings.CutPrefix(f.Field, "model"); is {
			all = append(all, rest+" "+f.Message)
		}
	}
	return all
}

func tableFor(t *testing.T, generator string) *table.Table {
	t.Helper()
	data, _, err := synth.Generate(generator, 60, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fitTiny fits a model as a study does, to 40 rows of as many classes as its loss
// is for.
func fitTiny(t *testing.T, m fit.Spec) error {
	t.Helper()
	how, err := fit.Parse(m)
	if err != nil {
		return err
	}
	generator, classes := "gmm", 2
	if how.Loss == nil {
		generator, classes = "blobs", 3
	}
	r := Draw(generator, 40, 3, nil)
	if err := how.Suits(classes); err != nil {
		return err
	}
	fit, _, err := Fitter{Method: how, Task: fit.Task{Classes: classes}, Seed: 1}.Fit(t.Context(), r)
	if err != nil {
		return err
	}
	Evaluate(fit, r, "accuracy")
	return nil
}

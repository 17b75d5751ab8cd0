package study

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
)

// TestSettingOfRuns: a study chooses λ and γ as a run of the same rows and seed does.
// Columns are as they are, since a run standardises them in each inner fold anew.
func TestSettingOfRuns(t *testing.T) {
	raw := false
	for _, c := range []struct {
		name, generator string
		model           fit.Spec
	}{
		{"log-loss", "gmm", fit.Spec{Kind: "linear", Loss: "logistic"}},
		{"one standard error", "gmm", fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Mode: "cv-1se"}}},
		{"several minima", "moons", fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.}}},
		{"kernel", "moons", fit.Spec{Kind: "kernel", Loss: "hinge"}},
		{"classes", "blobs", fit.Spec{Kind: "linear", Loss: "softmax"}},
	} {
		c.model.Standardize = &raw
		c.model = c.model.WithDefaults("")
		data, meta, err := synth.Generate(c.generator, 150, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		spec := runspec.Spec{Outcome: meta.Outcome, Model: c.model, Task: task.For(c.model, false).ID(), Seed: 7,
			Validation: runspec.Validation{Kind: "none"}}
		classes := max(2, len(meta.Levels))
		if classes == 2 {
			spec.Positive, spec.Negative = table.OneLevel(meta.Positive), table.OneLevel(meta.Negative)
		} else {
			spec.Levels = meta.Levels
		}
		run, err := engine.Fit(t.Context(), data, spec, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		how, err := fit.Parse(c.model)
		if err != nil {
			t.Fatal(err)
		}
		l, err := how.Trainer(fit.Task{Classes: classes}, 7)
		if err != nil {
			t.Fatal(err)
		}
		rows := Draw(c.generator, 150, 3, nil)
		got, err := Fitter{Method: how, Task: l.Task(), Seed: 7}.setting(t.Context(), l, rows)
		if err != nil {
			t.Fatal(err)
		}
		want := tune.Setting{L2: run.L2}
		if run.Kernel != nil && run.Kernel.Gamma != nil {
			want.Gamma = *run.Kernel.Gamma
		}
		if got != want {
			t.Errorf("%s: a study chooses %+v, a run %+v", c.name, got, want)
		}
	}
}

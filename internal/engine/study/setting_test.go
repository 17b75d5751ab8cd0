package study

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
)

// TestSettingOfRuns: a study chooses λ and γ as a run of the same rows and seed does,
// preprocessing learnt inside each fold.
func TestSettingOfRuns(t *testing.T) {
	for _, c := range []struct {
		name, generator string
		model           fit.Spec
	}{
		{"log-loss", "gmm", fit.Spec{Kind: "linear", Loss: "logistic"}},
		{"columns as they are", "gmm", fit.Spec{Kind: "linear", Loss: "logistic", Standardize: new(false)}},
		{"one standard error", "gmm", fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Mode: "cv-1se"}}},
		{"several minima", "moons", fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.}}},
		{"kernel", "moons", fit.Spec{Kind: "kernel", Loss: "hinge"}},
		{"classes", "blobs", fit.Spec{Kind: "linear", Loss: "softmax"}},
	} {
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
		about, err := NewTask(Data{Table: data, Outcome: meta.Outcome, Positive: spec.Positive, Negative: spec.Negative,
			Levels: meta.Levels})
		if err != nil {
			t.Fatal(err)
		}
		g := grid{spec: Spec{Noise: Noise{Kind: synth.NoiseNone, Rates: []float64{0}}}}
		p, err := g.prepare(t.Context(), about, resample.Positions(data.Rows), nil, 0, 0, *c.model.Standardize)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Fitter{Method: how, Task: l.Task(), Seed: 7, Inner: p.inner}.setting(t.Context(), l, p.Train)
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

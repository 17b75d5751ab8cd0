package playground

import (
	"context"
	"fmt"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/synth"
	"taper/internal/golden"
	"taper/internal/testtime"
)

// TestStoredFits: frames, pictures, predictions and shares equal the stored ones for the same
// points, noise and setting, at the start, the middle and the end of a fit; an ended context
// gives an error.
func TestStoredFits(t *testing.T) {
	for _, c := range []struct {
		name, data string
		noise      string
		held       float64
		spec       fit.Spec
		set        Setting
	}{
		{"t-logistic", "gmm", synth.NoiseRandom, 0, fit.Spec{Kind: "linear", Loss: "t-logistic", Params: map[string]any{"t": 1.6}}, Setting{L2: .5}},
		{"interval", "gmm", synth.NoiseClass, .3, fit.Spec{Kind: "linear", Loss: "interval", Params: map[string]any{"pi": []float64{.2, .6}}},
			Setting{Boundaries: []float64{.2, .6}, Features: Features{Kind: Quadratic}}},
		{"alpha", "long-servedio-2d", synth.NoiseSymmetric, 0, fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.0}}, Setting{Features: Features{Kind: RBF}}},
		{"boost", "gmm", synth.NoiseSymmetric, 0, fit.Spec{Kind: "boost", Loss: "alpha", Rounds: 7}, Setting{}},
		{"kernel", "kimes-2.2", synth.NoiseNone, .25, fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .5}}, Setting{L2: .01}},
		{"softmax", "blobs", synth.NoiseRandom, 0, fit.Spec{Kind: "linear", Loss: "softmax"}, Setting{}},
		{"zero-one", "blobs", synth.NoiseSymmetric, 0, fit.Spec{Kind: "linear", Loss: "al-zero-one"}, Setting{L2: .01}},
		{"abstain", "blobs", synth.NoiseSymmetric, 0, fit.Spec{Kind: "linear", Loss: "al-abstain"}, Setting{L2: .01, Features: Features{Kind: RBF, Gamma: .7}}},
		{"ordinal", "ordinal-stripes", synth.NoiseNone, 0, fit.Spec{Kind: "linear", Loss: "all-threshold", Params: map[string]any{"base": "logistic"}}, Setting{}},
		{"many-columns", "adni-like", synth.NoiseNone, 0, fit.Spec{Kind: "linear", Loss: "al-ordinal"}, Setting{L2: .1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := GenerateSample(t.Context(), c.data, 60, 4, c.held)
			if err != nil {
				t.Fatal(err)
			}
			o := spoil(t, s, c.noise, .2)
			f := fitted(t, s, o, c.spec, c.set)
			v := s.View(0, 1)
			x, y, spread := s.Places(o, v)
			found := map[string]any{"levels": s.Levels, "class": o.Label, "places": []any{x, y, spread}, "view": v, "frames": f.Frames,
				"warnings": f.Warnings(), "steps": f.Steps() > 0, "test set": s.TestSet(), "bytes": []int{f.Bytes(), s.Bytes()}}
			for _, frame := range []int{0, len(f.Frames) / 2, -1} {
				m, err := f.ModelAt(t.Context(), frame)
				if err != nil {
					t.Fatal(err)
				}
				e, err := f.Evaluate(t.Context(), m)
				if err != nil {
					t.Fatal(err)
				}
				e.Correct = nil
				surface := NewSurface(f, m, v)
				level := make([]byte, 0, len(surface.Level)/97)
				for k := 0; k < len(surface.Level); k += 97 {
					level = append(level, surface.Level[k])
				}
				surface.Level = level
				for i := range surface.Lines {
					l := &surface.Lines[i]
					few := []float64{}
					for k := 0; k < len(l.Field); k += 997 {
						few = append(few, l.Field[k])
					}
					l.Field = few
				}
				look := f.Look(frame, m)
				look.Loss.Curves = nil
				var asked []Answer
				for i := range 5 {
					at := float64(i) / 4
					asked = append(asked, Ask(f, m, v, v.X[0]+at*(v.X[1]-v.X[0]), v.Y[1]-at*(v.Y[1]-v.Y[0])))
				}
				found[fmt.Sprint("frame ", frame)] = map[string]any{"evaluation": e, "surface": surface, "look": look, "answers": asked}
			}
			golden.Equal(t, "fits/"+c.name, golden.Exported(found))
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := Train(ctx, s, o, f.Setting)
				return err
			})
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := f.Evaluate(ctx, f.Model)
				return err
			})
		})
	}
}

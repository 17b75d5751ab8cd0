package study

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/synth"
)

func weighed(kind string, loss string, params map[string]any, l2 float64) Spec {
	return Spec{Dataset: Source{Generator: "long-servedio", Rows: 1200}, Seed: 4, Replicates: 1, Models: []fit.Spec{{Kind: kind, Loss: loss, Params: params, L2: fit.L2{Value: l2}}},
		Noise: Noise{Kind: synth.NoiseRandom, Rates: []float64{0, 0.1}}}
}

// TestWeigh: every row that trains is in one group; exactly the share of labels
// is flipped; ξ of t = 1.9 orders the groups as docs/reference-numbers.md, section 3, point 4 has them.
func TestWeigh(t *testing.T) {
	s := weighed("linear", "t-logistic", map[string]any{"t": 1.9}, 0.5)
	w, err := Weigh(t.Context(), s, nil, 0, 1, 0)
	if err != nil || w.Symbol != "ξ" || len(w.Groups) != 6 || w.Noise != 0.1 {
		t.Fatalf("%+v, %v", w, err)
	}
	all, flipped := 0, 0
	median := map[weightKey]float64{}
	for _, g := range w.Groups {
		n := 0
		for _, c := range g.Counts {
			n += c
		}
		if n != g.N || len(g.Counts) != WeightBins {
			t.Errorf("%s: %d in bins, %d rows", g.Role, n, g.N)
		}
		all += g.N
		if g.Flipped {
			flipped += g.N
		}
		median[weightKey{g.Role, g.Flipped}] = *g.Median
	}
	if all < 598 || all > 602 || flipped != 60 { // halves of each class
		t.Errorf("%d rows, %d flipped; want 600 and 60", all, flipped)
	}
	at := func(role string, flipped bool) float64 { return median[weightKey{role, flipped}] }
	order := []float64{at("large margin", true), at("puller", true), at("penalizer", true), at("penalizer", false), at("puller", false), at("large margin", false)}
	for i, want := range []float64{.014, .168, .245, .831, .875, .992} {
		if !(math.Abs(order[i]-want) <= 0.08) || i > 0 && order[i] <= order[i-1] {
			t.Errorf("median %d is %.3f, want %.3f", i, order[i], want)
		}
	}
	clean, err := Weigh(t.Context(), s, nil, 0, 0, 0)
	if err != nil || len(clean.Groups) != 3 || clean.Groups[0].Flipped {
		t.Errorf("without noise: %+v, %v", clean, err)
	}
}

// TestWeighNothing: what has no weights says so, and what is not there is an
// error.
func TestWeighNothing(t *testing.T) {
	s := weighed("boost", "alpha", map[string]any{"alpha": 2.0}, 0)
	s.Models[0].Rounds = 3
	w, err := Weigh(t.Context(), s, nil, 0, 1, 0)
	if err != nil || w.Model == "" {
		t.Errorf("%+v, %v", w, err)
	}
	for _, at := range [][2]int{{1, 0}, {0, 2}, {-1, 0}, {0, -1}} {
		if _, err := Weigh(t.Context(), s, nil, at[0], at[1], 0); err == nil {
			t.Errorf("model %d at rate %d exists", at[0], at[1])
		}
	}
	if _, err := Weigh(t.Context(), Spec{Preset: "sypherd-fig3"}, nil, 0, 0, 0); err == nil {
		t.Error("a preset has weights")
	}
}

// TestHugeWeights: weights too large for an int are in the last bin.
func TestHugeWeights(t *testing.T) {
	if g := weightGroup(weightKey{}, []float64{.01, 1.5, 1e25}); g.Counts[0] != 1 || g.Counts[WeightBins-1] != 2 {
		t.Errorf("counts %v", g.Counts)
	}
}

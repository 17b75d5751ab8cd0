package paper

import (
	"context"
	"fmt"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// stages are the rounds at which accuracy is stored: first every round, later fewer.
func stages(last int) []int {
	var rounds []int
	step := func(t int) int {
		switch {
		case t < 10:
			return 1
		case t < 50:
			return 2
		case t < 100:
			return 5
		}
		return 10
	}
	for t := 1; t <= last; t += step(t) {
		rounds = append(rounds, t)
	}
	return rounds
}

// staged fits trees and returns the accuracy on the test rows after the given rounds. A fit that stopped
// early keeps its last accuracy.
func staged(ctx context.Context, d study.Division, alpha float64, depth int, rounds []int) ([]float64, error) {
	r := ready(treeSpecs([]float64{alpha}, rounds[len(rounds)-1], depth)[0])
	m, err := r.Fit(ctx, d.Train.Data(), 1, fit.Options{}) // trees have no λ
	if err != nil {
		return nil, err
	}
	curve := m.Fitted.Trees.StagedAccuracy(d.Test.X, d.Test.Signs())
	v := make([]float64, len(rounds))
	for i, t := range rounds {
		v[i] = math.NaN()
		if len(curve) > 0 {
			v[i] = curve[min(t, len(curve))-1]
		}
	}
	return v, nil
}

var accuracyMetric = []study.Metric{study.MetricOf("accuracy", " on clean rows")}

const longServedioWords = "Long and Servedio’s set in 21 dimensions: 1000 rows train with each label flipped with " +
	"probability %s, 5000 clean rows test. "

var sypherdBoost = []study.Preset{
	fig4("sypherd-fig4", "Figure 4", 0.1), fig4("sypherd-fig17", "Figure 17", 0), fig4("sypherd-fig18", "Figure 18", 0.2),
	fig4("sypherd-fig19", "Figure 19", 0.3),
	fig5("sypherd-fig5", "Figures 1 and 5", 0.1), fig5("sypherd-fig20", "Figure 20", 0),
	fig5("sypherd-fig21", "Figure 21", 0.2), fig5("sypherd-fig22", "Figure 22", 0.3),
	fig16,
}

// fig4 shows accuracy against the depth of the trees.
func fig4(id, figure string, rate float64) study.Preset {
	return study.Preset{
		ID: id, Title: "AdaBoost.α against the depth of its trees, " + percentFlipped(rate), Source: sypherdSource,
		Figure: figure,
		Protocol: fmt.Sprintf(longServedioWords, plain(rate)) +
			"100 trees of depth 1, 2, 3 and 5; AdaBoost (α = ½), LogAdaBoost (α = 1) and α = 2, 4, 8 in 80 replicates " +
			"(quick: 20). The paper also shows xgboost: its predictions can be uploaded to a finished study.",
		Build: func(in study.Input) (p study.Plan, err error) {
			for r := range in.Size.Pick(1, 20, 80) {
				for _, depth := range []int{1, 2, 3, 5} {
					p.Units = append(p.Units, depthUnit(in.Seed, rate, depth, r))
				}
			}
			return p, nil
		},
		Drawing: study.Drawing{Kind: study.DrawBox, X: study.Axis{Title: "Depth of the trees", Of: "at"},
			Series: study.Axis{Title: "Method", Of: "model"}, Metrics: accuracyMetric},
		References: longServedioReferences(rate, func(_ float64, rounds int) float64 {
			return map[int]float64{100: 1}[rounds]
		}),
		Grid: longServedioGrid(treeSpecs(fig4Alphas, 100, 1, 2, 3, 5), rate),
		ExternalModel: &study.ExternalModel{Name: "xgboost", Place: "depth", Places: fig4Depths, Noise: rate,
			Draw: func(ctx context.Context, seed uint64, r int) (train, judge study.Rows, err error) {
				d, err := longServedio(ctx, seed, r, rate)
				return d.Train, d.Test, err
			}},
	}
}

var fig4Depths = []float64{1, 2, 3, 5}

var fig4Alphas = []float64{0.5, 1, 2, 4, 8}

func depthUnit(seed uint64, rate float64, depth, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("depth %d #%d", depth, r), Kind: fmt.Sprintf("depth %d", depth),
		Weight:    float64(depth),
		Replicate: r}
	for _, alpha := range fig4Alphas {
		u.Keys = append(u.Keys, study.Key{Model: boosted(alpha), Noise: rate, Metric: "accuracy", At: float64(depth)})
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		d, err := longServedio(ctx, seed, r, rate)
		if err != nil {
			return nil, err
		}
		var v []float64
		for _, alpha := range fig4Alphas {
			end, err := staged(ctx, d, alpha, depth, []int{100})
			if err != nil {
				return nil, err
			}
			v = append(v, end...)
		}
		return v, nil
	}
	return u
}

// fig5Alphas are the α of Figures 5, 16 and 20 to 22.
var fig5Alphas = []float64{0.5, 0.8, 1, 1.1, 2, 8, 20}

const fig5Rounds = 400

// fig5 shows accuracy against the number of stumps.
func fig5(id, figure string, rate float64) study.Preset {
	p := study.Preset{
		ID: id, Title: "AdaBoost.α against the number of stumps, " + percentFlipped(rate), Source: sypherdSource,
		Figure: figure,
		Protocol: fmt.Sprintf(longServedioWords, plain(rate)) +
			"Stumps, 1 to 400 rounds, α = 0.5, 0.8, 1, 1.1, 2, 8 and 20 in 80 replicates (quick: 20); means with their " +
			"95\u00a0% intervals.",
		Build: func(in study.Input) (p study.Plan, err error) {
			rounds := stages(fig5Rounds)
			if in.Size == study.Smoke {
				rounds = stages(20)
			}
			for r := range in.Size.Pick(1, 20, 80) {
				for _, alpha := range fig5Alphas {
					p.Units = append(p.Units, roundsUnit(in.Seed, rate, alpha, r, rounds))
				}
			}
			return p, nil
		},
		Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Stumps", Of: "at"},
			Series:  study.Axis{Title: "α", Of: "model"},
			Metrics: accuracyMetric},
		References: longServedioReferences(rate, func(_ float64, rounds int) float64 { return float64(rounds) }),
		Grid:       longServedioGrid(treeSpecs(fig5Alphas, fig5Rounds, 1), rate),
	}
	if rate == 0.1 {
		p.Notes = []study.Note{gainNote}
	}
	return p
}

// gainNote explains docs/reference-numbers.md, section 3, point 2, with our own numbers.
var gainNote = study.Note{
	Claim: "AdaBoost.α gains about 25\u00a0% in accuracy over AdaBoost.",
	Text: "The gain needs about 400 stumps and depends on α: with 400 stumps α ≥ 8 is worse than α = 2, and α = " +
		"∞ stays at the accuracy of one stump.",
	Finding: func(cells []study.Cell) string {
		key := func(alpha, t float64) study.Key {
			return study.Key{Model: boosted(alpha), Noise: 0.1, Metric: "accuracy", At: t}
		}
		return findings("Here α = 2 exceeds AdaBoost by %s percentage points at 100 stumps and by %s at 400, where "+
			"α = 8 is below α = 2 by %s.", points(cells, key(2, 100), key(0.5, 100)),
			points(cells, key(2, 400), key(0.5, 400)),
			points(cells, key(2, 400), key(8, 400)))
	},
}

func roundsUnit(seed uint64, rate, alpha float64, r int, rounds []int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("alpha %v #%d", alpha, r), Kind: "stumps", Replicate: r}
	for _, t := range rounds {
		u.Keys = append(u.Keys, study.Key{Model: boosted(alpha), Noise: rate, Metric: "accuracy", At: float64(t)})
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		d, err := longServedio(ctx, seed, r, rate)
		if err != nil {
			return nil, err
		}
		return staged(ctx, d, alpha, 1, rounds)
	}
	return u
}

// fig16 shows accuracy against α.
var fig16 = study.Preset{
	ID: "sypherd-fig16", Title: "AdaBoost.α against α", Source: sypherdSource, Figure: "Figure 16",
	Protocol: fmt.Sprintf(longServedioWords, "0, 0.1, 0.2 and 0.3") +
		"100 stumps for α from 0.5 to 20 in 80 replicates (quick: 20).",
	Build: func(in study.Input) (p study.Plan, err error) {
		for r := range in.Size.Pick(1, 20, 80) {
			for _, rate := range []float64{0, 0.1, 0.2, 0.3} {
				p.Units = append(p.Units, alphaUnit(in.Seed, rate, r))
			}
		}
		return p, nil
	},
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at", Log: true},
		Series: study.Axis{Title: "Flipped", Of: "noise"}, Metrics: accuracyMetric},
	Grid:       longServedioGrid(treeSpecs(fig16Alphas, 100, 1), 0, 0.1, 0.2, 0.3),
	References: fig16References(),
}

// fig16References are the numbers at 100 stumps on this figure's axis, the gain of α = 2, and the loss of
// accuracy that noise causes AdaBoost.
func fig16References() (refs []study.Reference) {
	key := func(alpha, rate float64) study.Key {
		return study.Key{Model: "AdaBoost.α", Noise: rate, Metric: "accuracy", At: alpha}
	}
	var pairs [][2]study.Key
	for _, rate := range []float64{0, 0.1, 0.2, 0.3} {
		for _, r := range longServedioReferences(rate, func(_ float64, rounds int) float64 {
			return map[int]float64{100: 1}[rounds]
		}) {
			if r.Against == nil {
				r.Key = key(map[string]float64{boosted(0.5): 0.5, boosted(2): 2}[r.Key.Model], rate)
				refs = append(refs, r)
			}
		}
		pairs = append(pairs, [2]study.Key{key(2, rate), key(0.5, rate)})
		if rate > 0 {
			pairs = append(pairs, [2]study.Key{key(0.5, rate), key(0.5, 0)})
		}
	}
	return append(refs, contrasts(refs, pairs)...)
}

var fig16Alphas = []float64{0.5, 0.65, 0.8, 1, 1.1, 1.44, 2, 3, 4, 6, 8, 12, 20}

func alphaUnit(seed uint64, rate float64, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("flipped %v #%d", rate, r), Kind: "stumps", Replicate: r}
	for _, alpha := range fig16Alphas {
		u.Keys = append(u.Keys, study.Key{Model: "AdaBoost.α", Noise: rate, Metric: "accuracy", At: alpha})
	}
	u.Run = func(ctx context.Context) (v []float64, err error) {
		d, err := longServedio(ctx, seed, r, rate)
		if err != nil {
			return nil, err
		}
		for _, alpha := range fig16Alphas {
			end, err := staged(ctx, d, alpha, 1, []int{100})
			if err != nil {
				return nil, err
			}
			v = append(v, end...)
		}
		return v, nil
	}
	return u
}

func percentFlipped(rate float64) string {
	if rate == 0 {
		return "clean labels"
	}
	return plain(100*rate) + "\u00a0% of labels flipped"
}

package paper

import (
	"context"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// Numbers of rows for the 21-dimensional dataset of Long and Servedio as in Sypherd et al. 2023: noisy
// rows for training, clean ones for testing.
const (
	longServedioTrain = 1000
	longServedioTest  = 5000
)

// longServedio draws the rows of a replicate and flips labels of the training rows. A replicate has the
// same rows at every rate.
func longServedio(ctx context.Context, seed uint64, replicate int, rate float64) (study.Division, error) {
	all := study.Draw("long-servedio", longServedioTrain+longServedioTest, study.Seed(seed, "long-servedio", replicate),
		nil)
	d := study.Division{Train: all.Span(0, longServedioTrain), Test: all.Span(longServedioTrain, len(all.Y))}
	var err error
	d.Train, err = study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseSymmetric, Rate: rate}, d.Train, seed, replicate)
	return d, err
}

// longServedioGrid returns the protocol as a grid, with equally many rows for training and testing.
func longServedioGrid(models []fit.Spec, rates ...float64) *study.Spec {
	const rows = longServedioTrain + longServedioTest
	return &study.Spec{Seed: 1, Dataset: study.Source{Generator: "long-servedio", Rows: rows}, Models: models,
		Noise: study.Noise{Kind: synth.NoiseSymmetric, Rates: rates}, Replicates: 20, Test: float64(longServedioTest) / rows,
		Metric: "accuracy"}
}

// treeSpecs are AdaBoost.α for each α and depth.
func treeSpecs(alphas []float64, rounds int, depths ...int) (specs []fit.Spec) {
	for _, alpha := range alphas {
		for _, depth := range depths {
			specs = append(specs, fit.Spec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": alpha},
				Rounds: rounds, Depth: depth})
		}
	}
	return specs
}

// referenceSeeds is the number of seeds behind a mean of docs/reference-numbers.md, Results of the
// methods where its table gives no other number.
const referenceSeeds = 20

// The sources of the references for Long and Servedio’s datasets.
const (
	longServedioWhere = "Independent rerun of Sypherd et al. 2023, 21-dimensional set"
	roundsWhere       = "Independent rerun of Sypherd et al. 2023, α = 2 by rounds"
	fourPointsWhere   = "Independent rerun of Sypherd et al. 2023, four points"
)

// boostNumbers are the accuracies of docs/reference-numbers.md, Results of the methods for p = 0, .1, .2 and .3.
var boostNumbers = []struct {
	alpha  float64
	rounds int
	mean   [4]float64
	half   float64 // half-width of the interval at p = .1
}{
	{0.5, 100, [4]float64{.978, .716, .724, .731}, 0},
	{2, 100, [4]float64{.799, .771, .749, .735}, .004},
	{2, 400, [4]float64{1, .961, .824, .738}, .009},
	{8, 400, [4]float64{.863, .859, .804, .774}, .024},
}

// longServedioReferences are the references at one rate. at converts a number of rounds to the figure's
// axis; 0 means that the figure does not show it.
func longServedioReferences(rate float64, at func(alpha float64, rounds int) float64) (refs []study.Reference) {
	column := slices.Index([]float64{0, .1, .2, .3}, rate)
	for _, n := range boostNumbers {
		place := at(n.alpha, n.rounds)
		if place == 0 {
			continue
		}
		ref := study.Reference{Key: boostKey(n.alpha, rate, place),
			Value: n.mean[column], N: referenceSeeds, Digit: 1e-3, Where: longServedioWhere}
		if rate == 0.1 {
			ref.HalfWidth = n.half
		}
		refs = append(refs, ref)
	}
	if rate == 0.1 && at(2, 200) > 0 {
		refs = append(refs, study.Reference{Key: boostKey(2, rate, at(2, 200)),
			Value: .834, N: referenceSeeds, Digit: 1e-3, Where: roundsWhere})
	}
	return append(refs, contrasts(refs, [][2]study.Key{
		{boostKey(2, rate, at(2, 100)), boostKey(0.5, rate, at(0.5, 100))},
		{boostKey(2, rate, at(2, 400)), boostKey(2, rate, at(2, 100))},
		{boostKey(8, rate, at(8, 400)), boostKey(2, rate, at(2, 400))}})...)
}

func boostKey(alpha, rate, place float64) study.Key {
	return study.Key{Model: boosted(alpha), Noise: rate, Metric: "accuracy", At: place}
}

// contrasts are the differences of the pairs for which both numbers exist.
func contrasts(refs []study.Reference, pairs [][2]study.Key) (all []study.Reference) {
	number := func(k study.Key) int {
		return slices.IndexFunc(refs, func(r study.Reference) bool { return r.Against == nil && r.Key == k })
	}
	for _, p := range pairs {
		if a, b := number(p[0]), number(p[1]); a >= 0 && b >= 0 {
			all = append(all, study.Contrast(refs[a], refs[b]))
		}
	}
	return all
}

// boosted returns the name of AdaBoost.α.
func boosted(alpha float64) string {
	switch alpha {
	case 0.5:
		return "AdaBoost (α = 0.5)"
	case 1:
		return "LogAdaBoost (α = 1)"
	}
	return "AdaBoost.α, α = " + plain(alpha)
}

package paper

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// Checks are studies without a figure: they compare our trainers with the tables of
// docs/reference-numbers.md, Results of the methods. `make bench-science` runs them after the presets.
var Checks = []study.Preset{longServedioLinear, breastCancerLinear, boostedRounds, labelAudit, labelRules}

// linearMethod is a linear fit as in the reference computation.
type linearMethod struct {
	name   string
	mean   [4]float64 // accuracies of docs/reference-numbers.md for p = 0, .1, .2 and .3
	half   float64    // half-width of the interval at p = .1
	loss   string
	params map[string]any
	l2     float64
	starts []string // starts that the reference used; nil = all that suit the loss, or the solver's own
}

// The starts of the reference besides zero and the logistic fit: a random point, or softer losses. No
// method used both.
var (
	scattered = []string{"zero", "logistic", "random"}
	graduated = []string{"zero", "logistic", "graduated"}
)

const alphaTwo = "α-loss, α = 2"

// longServedioMethods use the starts of the reference. At p = .3 the α-loss with α = 2 has two minima of
// nearly the same height: from the logistic fit all seeds end in the one with accuracy .74, from zero
// half of them end in the other, with .97.
var longServedioMethods = []linearMethod{
	{"Logistic, C = 1", [4]float64{1, .733, .729, .733}, .009, "logistic", nil, 1. / longServedioTrain, nil},
	{alphaTwo, [4]float64{1, 1, .984, .738}, 0, "alpha", map[string]any{"alpha": 2.}, 1e-4, []string{"logistic"}},
	{"α-loss, α = 4", [4]float64{1, 1, .997, .972}, 0, "alpha", map[string]any{"alpha": 4.}, 1e-4, scattered},
	{"t-logistic 1.3", [4]float64{1, .963, .737, .734}, .042, "t-logistic", map[string]any{"t": 1.3}, 0.5, graduated},
	{"t-logistic 1.9", [4]float64{1, 1, .874, .738}, 0, "t-logistic", map[string]any{"t": 1.9}, 0.5, graduated},
	{"Two-temperature (0.1, 1.12)", [4]float64{1, 1, .999, .972}, 0, "tempered", map[string]any{"t1": 0.1, "t2": 1.12},
		1e-4, nil},
}

var breastCancerMethods = []linearMethod{
	{"Logistic, C = 1", [4]float64{.976, .949, .923, .881}, 0, "logistic", nil, 1. / 398, nil},
	{"α-loss, α = 4, λ = 0.01", [4]float64{.975, .969, .959, .940}, 0, "alpha", map[string]any{"alpha": 4.}, 0.01,
		scattered},
}

var longServedioLinear = linearCheck("long-servedio-linear", "Linear methods on Long and Servedio’s set",
	"Independent implementation, Long–Servedio 21-D",
	fmt.Sprintf(longServedioWords, "0, 0.1, 0.2 and 0.3")+"20 replicates.", longServedioMethods,
	func(ctx context.Context, in study.Input, r int, rate float64) (study.Division, error) {
		return longServedio(ctx, in.Seed, r, rate)
	})

var breastCancerLinear = linearCheck("breast-cancer-linear", "Linear methods on breast cancer",
	"Independent implementation, breast cancer",
	fmt.Sprintf(cancerWords, "0, 0.1, 0.2 and 0.3"), breastCancerMethods, cancerSplit)

// linearCheck has one unit per method, rate and replicate.
func linearCheck(id, title, where, protocol string, methods []linearMethod,
	draw func(context.Context, study.Input, int, float64) (study.Division, error)) study.Preset {
	p := study.Preset{ID: id, Title: title, Source: "Independent implementation", Figure: where, Protocol: protocol,
		Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Flipped", Of: "noise"},
			Series:  study.Axis{Title: "Method", Of: "model"},
			Metrics: accuracyMetric}}
	key := func(m linearMethod, rate float64) study.Key {
		return study.Key{Model: m.name, Noise: rate, Metric: "accuracy"}
	}
	p.Build = func(in study.Input) (plan study.Plan, err error) {
		for r := range in.Size.Pick(1, 20, 20) {
			for _, rate := range cancerRates {
				for _, m := range methods {
					plan.Units = append(plan.Units, study.Unit{ID: fmt.Sprintf("%s flipped %v #%d", m.name, rate, r), Kind: m.name,
						Replicate: r, Keys: []study.Key{key(m, rate)},
						Run: func(ctx context.Context) ([]float64, error) {
							d, err := draw(ctx, in, r, rate)
							if err != nil {
								return nil, err
							}
							end, err := trainer(m.loss, m.params).Fit(ctx, d.Train.Data(), m.l2,
								fit.Options{Starts: fit.Starts{Only: m.starts}})
							if err != nil {
								return nil, err
							}
							return []float64{accuracy(d.Test, end)}, nil
						}})
				}
			}
		}
		return plan, nil
	}
	for _, m := range methods {
		for i, rate := range cancerRates {
			ref := study.Reference{Key: key(m, rate), Value: m.mean[i], N: referenceSeeds, Digit: 1e-3, Where: where}
			if rate == 0.1 {
				ref.HalfWidth = m.half
			}
			if m.name == alphaTwo && rate == 0.2 {
				ref.Differs = "it is the mean of nineteen seeds like ours and of one in the lower minimum, at 0.74."
			}
			p.References = append(p.References, ref)
		}
	}
	// Each method is compared with the first, logistic regression.
	for _, m := range methods[1:] {
		for _, rate := range cancerRates {
			p.References = append(p.References, contrasts(p.References,
				[][2]study.Key{{key(m, rate), key(methods[0], rate)}})...)
		}
	}
	return p
}

// accuracy is the share of rows on the correct side of 0; a score of 0 counts as wrong.
func accuracy(r study.Rows, m *fit.Model) float64 {
	right := 0.
	for i, s := range r.Signs() {
		if s*m.Fitted.Score(r.X.Row(i)) > 0 {
			right++
		}
	}
	return right / float64(len(r.Y))
}

// boostedRounds compares AdaBoost.α = 2 with the reference accuracies for up to 800 rounds.
var boostedRounds = study.Preset{
	ID: "long-servedio-rounds", Title: "AdaBoost.α = 2 by rounds", Source: "Independent implementation",
	Figure:   "Independent implementation, AdaBoost.α = 2 by rounds",
	Protocol: fmt.Sprintf(longServedioWords, "0.1") + "20 replicates.",
	Build: func(in study.Input) (p study.Plan, err error) {
		for r := range in.Size.Pick(1, 20, 20) {
			p.Units = append(p.Units, roundsUnit(in.Seed, 0.1, 2, r, []int{100, 200, 400, 600, 800}))
		}
		return p, nil
	},
	Drawing:    study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Stumps", Of: "at"}, Metrics: accuracyMetric},
	References: roundsReferences(),
}

func roundsReferences() (refs []study.Reference) {
	want := map[float64]float64{100: .771, 200: .834, 400: .961, 600: .997, 800: 1}
	for _, t := range []float64{100, 200, 400, 600, 800} {
		ref := study.Reference{Key: study.Key{Model: boosted(2), Noise: 0.1, Metric: "accuracy", At: t}, Value: want[t],
			N: referenceSeeds, Digit: 1e-3, Where: roundsWhere}
		refs = append(refs, ref)
	}
	i := slices.IndexFunc(refs, func(r study.Reference) bool { return r.Key.At == 400 })
	refs[0].HalfWidth, refs[i].HalfWidth = .004, .009
	return refs
}

package paper

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/tune"
)

const kimesSource = "Kimes, Hayes, Marron, Liu: Large-margin classification with multiple decision rules, 2016"

// Numbers of rows in the simulations: the paper trains and tunes on equally many and tests on ten
// thousand.
const (
	kimesTrain = 100
	kimesTune  = 100
	kimesTest  = 10_000
)

var kimesDimensions = []int{2, 10, 50}

// kimesBoundaries are the boundaries of each setting.
var kimesBoundaries = map[string][]float64{
	"1.1": {0.5}, "1.2": {1. / 3, 2. / 3}, "1.3": {0.25, 0.5, 0.75},
	"2.1": {1. / 3, 2. / 3}, "2.2": {1. / 3, 2. / 3}, "2.3": {0.25, 0.5, 0.75},
}

const (
	linearPieces   = "Interval surrogate"
	logisticTuned  = "Logistic, thresholded"
	kimesLossID    = "interval_loss"
	kimesLossTitle = "Theoretical loss on test rows"
)

// kimesSeeds is the number of replicates behind a median of kimesReferences.
const kimesSeeds = 100

// kimesReferences are medians for the piecewise linear surrogate and logistic regression with p = 2, 10
// and 50 (docs/reference-numbers.md, Results of the methods).
var kimesReferences = map[string][3][2]float64{
	"1.1": {{.2654, .2764}, {.2702, .2863}, {.2679, .2846}},
	"1.2": {{.2357, .2408}, {.2397, .2448}, {.2396, .2465}},
	"1.3": {{.2199, .2208}, {.2233, .2240}, {.2226, .2248}},
	"2.1": {{.2128, .2216}, {.2191, .2253}, {.2260, .2359}},
	"2.2": {{.2293, .2330}, {.2353, .2400}, {.2426, .2495}},
	"2.3": {{.1748, .1787}, {.1803, .1832}, {.1879, .1912}},
}

func kimesFigure(id, figure string, settings ...string) study.Preset {
	p := study.Preset{
		ID: id, Title: "Interval surrogates compared with logistic regression, settings " + settings[0] + " to " +
			"" + settings[2],
		Source: kimesSource, Figure: figure,
		Protocol: "100 rows train, 100 tune λ from 2⁻¹⁵ to 2¹⁵ and 10\u202f000 test, in 2, 10 and 50 " +
			"dimensions; 100 replicates (quick: 20). The piecewise-linear surrogate is tuned on the theoretical loss, " +
			"logistic regression on the likelihood; medians with their standard errors.",
		Build: func(in study.Input) (plan study.Plan, err error) {
			for r := range in.Size.Pick(1, 20, 100) {
				for _, s := range settings {
					for _, d := range kimesDimensions {
						plan.Units = append(plan.Units, kimesUnit(in.Seed, s, d, r))
					}
				}
			}
			return plan, nil
		},
		Drawing: study.Drawing{Kind: study.DrawLine, Median: true, X: study.Axis{Title: "Dimensions", Of: "at", Log: true},
			Series: study.Axis{Title: "Method", Of: "model"}, Panels: study.Axis{Title: "Setting", Of: "data"},
			Metrics:  []study.Metric{{ID: kimesLossID, Title: kimesLossTitle, Higher: false}},
			Baseline: &study.Line{Title: "Bayes", At: map[string]float64{}}},
		Notes: []study.Note{{Text: "Each fit runs to the optimum, certified by a duality gap; the objective of " +
			"the paper’s projected subgradient method is 6.2 above it after 100 steps at λ = 2⁻¹⁰."}},
	}
	if slices.Contains(settings, "1.3") {
		p.Notes = slices.Insert(p.Notes, 0, sameLossNote)
	}
	for _, s := range settings {
		p.Drawing.Baseline.At[s] = synth.KimesBayesLoss(s, kimesBoundaries[s])
		for i, d := range kimesDimensions {
			var both []study.Reference
			for k, model := range []string{linearPieces, logisticTuned} {
				both = append(both, study.Reference{Key: kimesKey(s, d, model), Median: true,
					Value: kimesReferences[s][i][k], N: kimesSeeds, Digit: 1e-4,
					Where: "Independent rerun of Kimes et al. 2016, " + figure})
			}
			p.References = append(p.References, both[0], both[1], study.Contrast(both[0], both[1]))
		}
	}
	return p
}

// sameLossNote explains docs/reference-numbers.md, section 3, point 6, with our own differences.
var sameLossNote = study.Note{
	Claim: "The interval surrogate has a lower loss than logistic regression in every setting.",
	Text: "In setting 1.3 the medians differ, but the 95\u00a0% interval of the mean difference includes 0 in every " +
		"dimension.",
	Finding: func(cells []study.Cell) string {
		var v []string
		for _, d := range kimesDimensions {
			v = append(v, difference(cells, kimesKey("1.3", d, linearPieces), kimesKey("1.3", d, logisticTuned), 1, 4))
		}
		return findings("Here, in setting 1.3, the surrogate’s mean loss minus that of logistic regression is %s in 2 "+
			"dimensions, %s in 10 and %s in 50.", v...)
	},
}

func kimesKey(setting string, d int, model string) study.Key {
	return study.Key{Data: setting, Model: model, Metric: kimesLossID, At: float64(d)}
}

// kimesUnit fits both methods to one sample.
func kimesUnit(seed uint64, setting string, d, r int) study.Unit {
	return study.Unit{
		ID: fmt.Sprintf("%s p %d #%d", setting, d, r), Kind: fmt.Sprintf("p %d", d), Weight: float64(10 + d), Replicate: r,
		Keys: []study.Key{kimesKey(setting, d, linearPieces), kimesKey(setting, d, logisticTuned)},
		Run: func(ctx context.Context) ([]float64, error) {
			all := study.Draw("kimes-"+setting, kimesTrain+kimesTune+kimesTest,
				study.Seed(seed, fmt.Sprintf("kimes %s p %d", setting, d),
					r), map[string]float64{"p": float64(d)})
			s := samples{train: all.Span(0, kimesTrain), tune: all.Span(kimesTrain, kimesTrain+kimesTune),
				test: all.Span(kimesTrain+kimesTune, len(all.Y))}
			return s.both(ctx, kimesBoundaries[setting], tune.Powers(15, -15, 1))
		},
	}
}

// samples are the rows for training, for choosing λ and for testing.
type samples struct{ train, tune, test study.Rows }

// both returns the theoretical loss on the test rows for the piecewise linear surrogate and for logistic
// regression, each with its own λ.
func (s samples) both(ctx context.Context, pi, l2s []float64) ([]float64, error) {
	iv, err := loss.NewInterval(pi)
	if err != nil {
		return nil, err
	}
	pieces, err := trainer("interval", nil, pi...).Path(ctx, s.train.Data(), l2s, fit.Options{})
	if err != nil {
		return nil, err
	}
	plain, err := trainer("logistic", nil).Path(ctx, s.train.Data(), l2s, fit.Options{})
	if err != nil {
		return nil, err
	}
	theory := func(m *fit.Model) float64 { return theoryLoss(m, s.tune, iv) }
	return []float64{
		theoryLoss(least(pieces, theory), s.test, iv),
		theoryLoss(least(plain, func(m *fit.Model) float64 { return logLoss(m, s.tune) }), s.test, iv),
	}, nil
}

// least returns the model with the smallest criterion; of equal ones the first, which has the largest λ.
func least(models []*fit.Model, criterion func(*fit.Model) float64) *fit.Model {
	losses := make([]float64, len(models))
	for i, m := range models {
		losses[i] = criterion(m)
	}
	return models[tune.BestSetting(losses, 1e-12)]
}

// theoryLoss is ℓ_π of the bands that follow from the scores by the canonical cut-offs (docs/math.md,
// Interval classification).
func theoryLoss(m *fit.Model, r study.Rows, iv loss.Interval) float64 {
	band, event := make([]int, len(r.Y)), make([]bool, len(r.Y))
	for i, y := range r.Y {
		band[i], event[i] = iv.Band(m.Fitted.Score(r.X.Row(i))), y == 1
	}
	return stat.IntervalLoss(iv.Pi, band, event)
}

// logLoss is the mean logistic loss.
func logLoss(m *fit.Model, r study.Rows) float64 {
	l, sum := loss.Logistic{}, 0.0
	for i, s := range r.Signs() {
		sum += l.Value(s, s*m.Fitted.Score(r.X.Row(i)))
	}
	return sum / float64(len(r.Y))
}

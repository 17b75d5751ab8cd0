package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
)

// Numbers of training and test rows of the survey, which resembles the one on COVID-19.
const surveyRows = 20_000

var (
	surveyAlphas = []float64{0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3}
	surveyRates  = []float64{0, 0.05, 0.1, 0.15}
)

// surveyL2 keeps weights finite; no digit shown depends on it.
const surveyL2 = 1e-9

const surveyWords = "A simulated symptom survey (age, gender and six symptoms with known log-odds, 14\u00a0% " +
	"positive), 20\u202f000 rows to train and as many clean ones to test; linear α-loss for α from 0.6 to 3, labels " +
	"of training rows flipped with probability 0, 0.05, 0.1 and 0.15; 5 replicates. "

var sypherdSurvey = []study.Preset{
	{
		ID: "sypherd-fig8", Title: "Odds ratios of a symptom survey under noise", Source: sypherdSource, Figure: "Figure 8",
		Protocol: surveyWords + "The mean squared error of the weights against those of logistic regression on the clean " +
			"labels: of θ, of θ/α, which are log-odds by the link of the α-loss, and of the direction.",
		Build: buildFig8,
		Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at"},
			Series:  study.Axis{Title: "Flipped", Of: "noise"},
			Metrics: gmmErrors},
		References: []study.Reference{study.Claim(surveyKey("mse", 2), surveyKey("mse", 1), -1,
			"Sypherd et al. 2023, Fig. 8: at 15\u00a0% flipped α > 1 has the smaller error")},
		Notes: []study.Note{scaleNote},
	},
	{
		ID: "sypherd-fig8-forest", Title: "Log-odds of a symptom survey, clean and noisy", Source: sypherdSource,
		Figure: "Figure 8, feature by feature",
		Protocol: surveyWords + "The log-odds of every feature: as simulated, by logistic regression on clean " +
			"labels, and at 15\u00a0% flipped labels by logistic regression and by the α-loss at α = 2, read as θ/α.",
		Build: buildForest,
		NoNumbers: "The paper’s odds ratios are of a survey that is not public; this one is simulated, and the " +
			"table lists the log-odds it was simulated with.",
		Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Feature", Of: "data"},
			Series:  study.Axis{Title: "Model", Of: "model"},
			Metrics: []study.Metric{{ID: "log_odds", Title: "Log-odds", Higher: false}}},
	},
	{
		ID: "sypherd-fig30", Title: "Sensitivity on a symptom survey under noise", Source: sypherdSource, Figure: "Figure 30",
		Protocol:  surveyWords + "Sensitivity and accuracy at the threshold P = ½.",
		Build:     buildFig30,
		NoNumbers: "The paper draws curves of a survey that is not public and prints no number for a simulated one.",
		Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at"},
			Series:  study.Axis{Title: "Flipped", Of: "noise"},
			Metrics: []study.Metric{study.MetricOf("sensitivity", ""), study.MetricOf("accuracy", " on clean rows")}},
	},
}

// surveyFeatures are the columns of the design in order: one level of a categorical column each. The
// first age bracket and women are the reference.
var surveyFeatures = []struct{ column, level string }{
	{"age", "25-34"}, {"age", "35-44"}, {"age", "45-54"}, {"age", "55-64"}, {"age", "65-74"}, {"age", "75+"},
	{"gender", "male"},
	{"smell_taste_loss", "yes"}, {"short_breath", "yes"}, {"aches", "yes"}, {"tired", "yes"}, {"cough", "yes"},
	{"fever", "yes"},
}

// surveyOdds are the log odds from which the survey is generated (docs/generators.md).
var surveyOdds = []float64{.05, .10, .10, .05, -.05, -.10, .10, 2.16, .25, .45, .30, .55, .80}

// survey generates a replicate: training rows before any noise, and test rows.
func survey(seed uint64, replicate, rows int) study.Division {
	t, meta, err := synth.Generate("covid-survey", 2*rows, study.Seed(seed, "covid-survey", replicate), nil)
	if err != nil {
		panic("study: " + err.Error())
	}
	d := len(surveyFeatures)
	all := study.Rows{X: linear.Matrix{Rows: t.Rows, Cols: d, Data: make([]float64, t.Rows*d)}, Y: make([]int, t.Rows)}
	for j, f := range surveyFeatures {
		mark(all.X.Data[j:], d, t.Column(f.column), f.level)
	}
	outcome := t.Column(meta.Outcome)
	for i, k := range outcome.Code {
		if outcome.Levels[k] == meta.Positive {
			all.Y[i] = 1
		}
	}
	return study.Division{Train: all.Span(0, rows), Test: all.Span(rows, len(all.Y))}
}

// mark writes 1 at every stride-th entry whose row has the level.
func mark(dst []float64, stride int, c *table.Column, level string) {
	at := int32(slices.Index(c.Levels, level))
	for i, k := range c.Code {
		if k == at {
			dst[i*stride] = 1
		}
	}
}

func surveySize(s study.Size) (rows, replicates int) {
	return s.Pick(1000, surveyRows, surveyRows), s.Pick(1, 5, 5)
}

// surveyPath fits one replicate at one rate along α.
func surveyPath(ctx context.Context, d study.Division, alphas []float64, rate float64, seed uint64, r int,
	read func(alpha float64, m *fit.Fitted) []float64) ([]float64, error) {
	noisy, err := study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseSymmetric, Rate: rate}, d.Train, seed, r)
	if err != nil {
		return nil, err
	}
	return alongAlpha(ctx, noisy.Data(), alphas, surveyL2, read)
}

// The rows of the forest plot of log odds.
const (
	forestTruth = "True log-odds"
	forestClean = "Logistic, clean labels"
	forestNoisy = "Logistic, noisy labels"
	forestAlpha = "α-loss, α = 2, noisy labels, θ/α"
)

// forestRate is the noise rate of the forest plot.
const forestRate = 0.15

// scaleNote explains what the error of the weights in Figure 8 measures (docs/reference-numbers.md,
// section 3, point 3).
var scaleNote = study.Note{
	Text: "Under noise the raw error is least at an α above 1 because θ grows with α while noise shrinks it: the two " +
		"cancel. Read by its link, as θ/α, it hardly depends on α here.",
	Finding: func(cells []study.Cell) string {
		at := func(metric string, alpha float64) float64 {
			return study.MeanOf(cells, surveyKey(metric, alpha))
		}
		return sentence("At 15\u00a0%% flipped labels the raw error is %s at α = 1 and %s at 2; that of θ/α is %s and %s.",
			plain, at("mse", 1), at("mse", 2), at("mse_scaled", 1), at("mse_scaled", 2))
	},
}

// surveyKey is the key of a number at the largest noise rate.
func surveyKey(metric string, alpha float64) study.Key {
	return study.Key{Data: "survey", Model: "α-loss", Noise: 0.15, Metric: metric, At: alpha}
}

func buildFig8(in study.Input) (p study.Plan, err error) {
	rows, replicates := surveySize(in.Size)
	for r := range replicates {
		for _, rate := range surveyRates {
			p.Units = append(p.Units, oddsUnit(in.Seed, rows, rate, r))
		}
	}
	return p, nil
}

func oddsUnit(seed uint64, rows int, rate float64, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("flipped %v #%d", rate, r), Kind: "survey", Replicate: r}
	for _, alpha := range surveyAlphas {
		for _, m := range gmmErrors {
			u.Keys = append(u.Keys, study.Key{Data: "survey", Model: "α-loss", Noise: rate, Metric: m.ID, At: alpha})
		}
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		d := survey(seed, r, rows)
		clean, err := alphaFit(ctx, d.Train.Data(), 1, surveyL2, nil)
		if err != nil {
			return nil, err
		}
		return surveyPath(ctx, d, surveyAlphas, rate, seed, r, func(alpha float64, m *fit.Fitted) []float64 {
			return weightErrors(theta(m), theta(clean.Fitted), alpha)
		})
	}
	return u
}

func buildForest(in study.Input) (p study.Plan, err error) {
	rows, replicates := surveySize(in.Size)
	for r := range replicates {
		p.Units = append(p.Units, study.Unit{ID: fmt.Sprintf("#%d", r), Kind: "survey", Replicate: r, Keys: forestKeys(),
			Run: func(ctx context.Context) ([]float64, error) {
				d := survey(in.Seed, r, rows)
				clean, err := alphaFit(ctx, d.Train.Data(), 1, surveyL2, nil)
				if err != nil {
					return nil, err
				}
				noisy, err := surveyPath(ctx, d, []float64{1, 2}, forestRate, in.Seed, r,
					func(alpha float64, m *fit.Fitted) (odds []float64) {
						for _, w := range m.W {
							odds = append(odds, w/alpha)
						}
						return odds
					})
				return slices.Concat(surveyOdds, clean.Fitted.W, noisy), err
			}})
	}
	return p, nil
}

func forestKeys() (keys []study.Key) {
	for _, model := range []string{forestTruth, forestClean, forestNoisy, forestAlpha} {
		for _, f := range surveyFeatures {
			keys = append(keys, study.Key{Data: f.column + " = " + f.level, Model: model, Noise: forestRate, Metric: "log_odds"})
		}
	}
	return keys
}

func buildFig30(in study.Input) (p study.Plan, err error) {
	rows, replicates := surveySize(in.Size)
	for r := range replicates {
		for _, rate := range surveyRates {
			u := study.Unit{ID: fmt.Sprintf("flipped %v #%d", rate, r), Kind: "survey", Replicate: r}
			for _, alpha := range surveyAlphas {
				for _, m := range []string{"sensitivity", "accuracy"} {
					u.Keys = append(u.Keys, study.Key{Data: "survey", Model: "α-loss", Noise: rate, Metric: m, At: alpha})
				}
			}
			u.Run = func(ctx context.Context) ([]float64, error) {
				d := survey(in.Seed, r, rows)
				return surveyPath(ctx, d, surveyAlphas, rate, in.Seed, r, func(_ float64, m *fit.Fitted) []float64 {
					return sensitivity(d.Test, m)
				})
			}
			p.Units = append(p.Units, u)
		}
	}
	return p, nil
}

// sensitivity returns the share of events with a score above 0, where the α-loss has P = ½, and the
// accuracy.
func sensitivity(test study.Rows, m *fit.Fitted) []float64 {
	found, events, right := 0., 0., 0.
	for i, y := range test.Y {
		positive := m.Score(test.X.Row(i)) > 0
		if y == 1 {
			events++
		}
		if positive == (y == 1) {
			right++
			found += float64(y)
		}
	}
	if events == 0 {
		return []float64{math.NaN(), right / math.Max(1, float64(len(test.Y)))}
	}
	return []float64{found / events, right / float64(len(test.Y))}
}

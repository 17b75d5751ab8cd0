package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// Two Gaussians at ±(1, 1) with unit covariance, 14 % positive: the Bayes score
// is 2x₁ + 2x₂ + logit .14 (docs/math.md, Datasets and noise).
const (
	gmmRows       = 10_000
	gmmPrevalence = 0.14
)

var gmmBayes = []float64{2, 2, math.Log(gmmPrevalence / (1 - gmmPrevalence))}

// gmmL2 is a penalty so small that no digit shown depends on it.
const gmmL2 = 1e-12

var (
	gmmAlphas = []float64{0.5, 0.65, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}
	gmmRates  = []float64{0, 0.1, 0.2, 0.3, 0.4}
	gmmErrors = []study.Metric{{ID: "mse", Title: "Mean squared error of θ", Higher: false},
		{ID: "mse_scaled", Title: "Mean squared error of θ/α", Higher: false},
		{ID: "mse_direction", Title: "Mean squared error of the direction", Higher: false}}
)

const populationName = "population"

var sypherdGMM = []study.Preset{{
	ID: "sypherd-fig7", Title: "Weights of the α-loss on two Gaussians", Source: sypherdSource, Figure: "Figure 7",
	Protocol: "Two Gaussians at ±(1, 1), 14\u00a0% positive, 10\u202f000 rows, each label flipped with " +
		"probability 0 to " +
		"0.4; linear α-loss without penalty for α from 0.5 to 10, 30 replicates (quick: 10). The mean squared error " +
		"against the Bayes weights (2, 2, −1.815) of θ, of θ/α, as the link of the α-loss requires, and of the " +
		"direction θ/‖θ‖; and the optimum on the whole population.",
	Build: buildFig7,
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at", Log: true}, Y: study.Axis{Log: true},
		Series: study.Axis{Title: "Flipped", Of: "noise"}, Panels: study.Axis{Title: "Data", Of: "data"}, Metrics: gmmErrors},
	References: []study.Reference{
		population("w", 0.5, .275617), population("b", 0.5, -.375690), population("w", 1, .640296),
		population("b", 1, -.743325),
		population("w", 2, 2.119288), population("b", 2, -1.967651), population("w", 4, 6.038369),
		population("b", 4, -5.481324),
		roughly("mse_direction", 0.5, .0128, 1e-4), roughly("mse_direction", 1, .0045, 1e-4),
		roughly("mse_direction", 2, 3.6e-5, 1e-6), roughly("mse_direction", 4, 0, 1e-6),
		gmmClaim(0.1), gmmClaim(0.2),
	},
	Notes: []study.Note{{
		Claim: "The mean squared error of the weights is fairly flat for α > 1.",
		Text: "A flat curve comes from gradient descent that is stopped early. At the optimum the raw error has its " +
			"minimum near α = 2 and then grows without bound, because the weights grow with α: compare directions or θ/α.",
		Finding: func(cells []study.Cell) string {
			at := func(metric string, alpha float64) string {
				key := study.Key{Data: gmmName, Model: "α-loss", Noise: 0.1, Metric: metric, At: alpha}
				return withInterval(study.Find(cells, key), -1)
			}
			return findings("Here, at 10\u00a0%% flipped labels, the raw error is %s at α = 1, %s at 2 and %s at 10; the "+
				"error of the direction is %s, %s and %s.",
				at("mse", 1), at("mse", 2), at("mse", 10), at("mse_direction", 1), at("mse_direction", 2), at("mse_direction", 10))
		},
	}},
}}

// gmmClaim is the claim that under noise α = 2 estimates the direction better than α = 1.
func gmmClaim(rate float64) study.Reference {
	key := func(alpha float64) study.Key {
		return study.Key{Data: gmmName, Model: "α-loss", Noise: rate, Metric: "mse_direction", At: alpha}
	}
	return study.Claim(key(2), key(1), -1, "Sypherd et al. 2023, Fig. 7: α > 1 has the smaller error under noise")
}

const gmmName = "two Gaussians"

// population is a reference at noise .1, printed with six digits.
func population(metric string, alpha, value float64) study.Reference {
	return roughly(metric, alpha, value, 1e-6)
}

// roughly is a reference printed to the given digit.
func roughly(metric string, alpha, value, digit float64) study.Reference {
	return study.Reference{Key: study.Key{Data: populationName, Model: "α-loss", Noise: 0.1, Metric: metric, At: alpha},
		Value: value, Digit: digit, Where: "Independent rerun of Sypherd et al. 2023, Fig. 7"}
}

func buildFig7(in study.Input) (p study.Plan, err error) {
	for _, rate := range gmmRates {
		p.Units = append(p.Units, populationUnit(rate))
	}
	for r := range in.Size.Pick(1, 10, 30) {
		for _, rate := range gmmRates {
			p.Units = append(p.Units, gmmUnit(in.Seed, rate, r))
		}
	}
	return p, nil
}

func gmmUnit(seed uint64, rate float64, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("flipped %v #%d", rate, r), Kind: "gmm", Weight: 10, Replicate: r}
	for _, alpha := range gmmAlphas {
		for _, m := range gmmErrors {
			u.Keys = append(u.Keys, study.Key{Data: gmmName, Model: "α-loss", Noise: rate, Metric: m.ID, At: alpha})
		}
	}
	u.Run = func(ctx context.Context) (v []float64, err error) {
		rows := study.Draw("gmm", gmmRows, study.Seed(seed, "gmm", r), map[string]float64{"prevalence": gmmPrevalence})
		if rows, err = study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseSymmetric, Rate: rate}, rows, seed, r); err != nil {
			return nil, err
		}
		return alongAlpha(ctx, rows.Data(), gmmAlphas, gmmL2, func(alpha float64, m *fit.Fitted) []float64 {
			return weightErrors(theta(m), gmmBayes, alpha)
		})
	}
	return u
}

// alongAlpha fits increasing α, each from the previous fit, as a graduated start does.
func alongAlpha(ctx context.Context, d fit.Data, alphas []float64, l2 float64,
	read func(alpha float64, m *fit.Fitted) []float64) (v []float64, err error) {
	var last *fit.Model
	for _, alpha := range alphas {
		if last, err = alphaFit(ctx, d, alpha, l2, last); err != nil {
			return nil, err
		}
		v = append(v, read(alpha, last.Fitted)...)
	}
	return v, nil
}

// alphaFit minimises the α-loss from the given start only; nil = zero.
func alphaFit(ctx context.Context, d fit.Data, alpha, l2 float64, start *fit.Model) (*fit.Model, error) {
	from := fit.Starts{Only: []string{"zero"}}
	if start != nil {
		from = fit.Starts{Only: []string{"given"}, Given: start}
	}
	m, err := trainer("alpha", map[string]any{"alpha": alpha}).Fit(ctx, d, l2, fit.Options{Starts: from})
	if err != nil {
		return nil, fmt.Errorf("α = %v: %w", alpha, err)
	}
	return m, nil
}

func theta(m *fit.Fitted) []float64 { return append(slices.Clone(m.W), m.B) }

// weightErrors returns the mean squared errors of θ, of θ/α and of the direction.
func weightErrors(theta, want []float64, alpha float64) []float64 {
	scaled := make([]float64, len(theta))
	for i, v := range theta {
		scaled[i] = v / alpha
	}
	return []float64{meanSquare(theta, want), meanSquare(scaled, want), meanSquare(unit(theta), unit(want))}
}

func meanSquare(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum / float64(len(a))
}

func unit(v []float64) []float64 {
	length := math.Sqrt(meanSquare(v, make([]float64, len(v))) * float64(len(v)))
	u := make([]float64, len(v))
	for i, x := range v {
		u[i] = x / length
	}
	return u
}

// populationUnit fits the expected loss: by symmetry θ = (w, w, b), and x₁ + x₂ is Gaussian with mean ±2
// and variance 2. The expectation is a sum over the nodes of the trapezoid rule as weighted rows, which
// is exact to the last digits (its error for a Gaussian decreases like exp(−2π²σ²/h²)).
func populationUnit(rate float64) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("population flipped %v", rate), Kind: "population"}
	for _, alpha := range gmmAlphas {
		for _, m := range []string{"w", "b", "mse", "mse_scaled", "mse_direction"} {
			u.Keys = append(u.Keys, study.Key{Data: populationName, Model: "α-loss", Noise: rate, Metric: m, At: alpha})
		}
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		return alongAlpha(ctx, gmmNodes(rate), gmmAlphas, gmmL2, func(alpha float64, m *fit.Fitted) []float64 {
			w := m.W[0]
			return append([]float64{w, m.B}, weightErrors([]float64{w, w, m.B}, gmmBayes, alpha)...)
		})
	}
	return u
}

// gmmNodes returns the nodes of x₁ + x₂ with both labels, weighted by their probability.
func gmmNodes(rate float64) (d fit.Data) {
	density := func(s, mean float64) float64 { return math.Exp(-(s - mean) * (s - mean) / 4) }
	for k := -140; k <= 140; k++ {
		s := float64(k) / 10
		event, other := gmmPrevalence*density(s, 2), (1-gmmPrevalence)*density(s, -2)
		d.X.Data = append(d.X.Data, s, s)
		d.Label = append(d.Label, 1, 0)
		d.Weights = append(d.Weights, (1-rate)*event+rate*other, (1-rate)*other+rate*event)
	}
	d.X.Rows, d.X.Cols = len(d.Label), 1
	return d
}

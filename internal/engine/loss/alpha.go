package loss

import (
	"math"

	"taper/internal/engine/odds"
)

// Alpha is the margin-based α-loss (Sypherd et al. 2023), (α/(α−1))·(1 − σ(z)^(1−1/α)), for α in (0, ∞]:
// ½ is exponential loss, 1 logistic loss, ∞ sigmoid loss. The zero value is not a loss: use NewAlpha.
//
// We use the forms of docs/math.md, Margin alpha-loss in log σ. The paper's Lemma 1 in powers of e^z is
// correct but overflows (docs/errata.md, Sypherd 1).
type Alpha struct {
	alpha float64
	beta  float64 // 1/α
	e     float64 // (α−1)/α; written as 1−1/α it would cancel near α = 1
}

// NewAlpha returns the α-loss with the parameter α.
func NewAlpha(alpha float64) Alpha {
	l := Alpha{alpha: alpha, beta: 1 / alpha, e: (alpha - 1) / alpha}
	if math.IsInf(alpha, 1) {
		l.beta, l.e = 0, 1
	}
	l.beta, l.e = min(l.beta, math.MaxFloat64), max(l.e, -math.MaxFloat64)
	return l
}

func (l Alpha) Value(_, z float64) float64 { return l.value(odds.LogSigmoid(z)) }

// value is −log_t1 σ(z) from log σ(z), with t1 = 1/α = 1 − e.
func (l Alpha) value(ls float64) float64 {
	if l.e == 0 {
		return -ls
	}
	return -math.Expm1(l.e*ls) / l.e
}

func (l Alpha) Slope(_, z float64) float64 { return -math.Exp(l.logWeight(z)) }

// logWeight is log(−dℓ/dz) = (1−1/α) log σ(z) + log σ(−z); Sypherd et al. 2023, equations (5) and (6).
func (l Alpha) logWeight(z float64) float64 { return l.e*odds.LogSigmoid(z) + odds.LogSigmoid(-z) }

func (l Alpha) Curve(z float64) (float64, bool) {
	return product(l.logWeight(z), odds.Sigmoid(z)-l.e*odds.Sigmoid(-z)), true
}

// Third returns the third derivative, which the explorer's formulas show.
func (l Alpha) Third(z float64) float64 {
	s, c := odds.Sigmoid(z), odds.Sigmoid(-z)
	return product(l.logWeight(z), -s*s+(4-3*l.beta)*s*c-l.e*l.e*c*c)
}

// product returns e^lw·b without overflow of the first factor where the product is finite.
func product(lw, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Copysign(math.Exp(lw+math.Log(math.Abs(b))), b)
}

func (l Alpha) Probability(z float64) float64 { return odds.Sigmoid(z) }

// Importance returns the weight factor σ(z)^(1−1/α).
func (l Alpha) Importance(z float64) float64 { return math.Exp(l.e * odds.LogSigmoid(z)) }

// Regime reports that the loss is convex for α ≤ 1, and bounded by α/(α−1) for larger α.
func (l Alpha) Regime() Regime {
	if l.e <= 0 {
		return convex
	}
	return Regime{QuasiConvex: true, Bound: 1 / l.e, GivesUp: math.Log(l.e)}
}

// BoostWeights fills dst with the weights of AdaBoost.α at the given margins: proportional to −dℓ/dz,
// with sum 1. It uses logarithms, so the weights sum to 1 for margins of any size.
func (l Alpha) BoostWeights(dst, margins []float64) {
	top := -inf
	for i, z := range margins {
		dst[i] = l.logWeight(z)
		top = max(top, dst[i])
	}
	sum := 0.0
	for i := range dst {
		dst[i] = math.Exp(dst[i] - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// alphaLink adds the link to the α-loss, which exists for α < ∞.
type alphaLink struct{ Alpha }

func (l alphaLink) ClassProbability(z float64) float64 { return odds.Sigmoid(z * l.beta) }
func (l alphaLink) Cut(pi float64) float64             { return l.alpha * odds.Logit(pi) }

// endlessStep replaces α = ∞ in a graduated start, which moves in finite steps.
const endlessStep = 32

var alpha = Family{
	ID: "alpha", Title: "α-loss", Kind: KindMargin,
	Source:  "Sypherd et al. 2023, equations (5) and (6), Lemma 1",
	Errata:  []string{"Sypherd 1", "Sypherd 9"},
	Formula: `\tfrac{\alpha}{\alpha-1}\bigl(1-\sigma(z)^{1-1/\alpha}\bigr)`,
	Use: "One parameter from the exponential loss of boosting (½) through logistic (1) to bounded losses whose " +
		"gradient redescends.",
	Params: []Param{{
		Name: "alpha", Symbol: "α", Label: "robustness", Type: Number, Min: 0, ExclusiveMin: true, Max: inf, AllowsInf: true,
		SliderMin: .25, SliderMax: 32, Log: true, Step: .01, Default: Value{Number: 2},
		Ticks:       []Tick{{.5, "½ exponential"}, {1, "1 logistic"}, {inf, "∞ sigmoid"}},
		Description: "above 1 the loss is bounded by α/(α−1)",
	}},
	Cases: []Case{
		{"α = 0.3", "alpha=0.3"}, {"α = ½, exponential", "alpha=0.5"}, {"α = 0.77", "alpha=0.77"},
		{"α = 1, logistic", "alpha=1"}, {"α = 1.44", "alpha=1.44"}, {"α = 4", "alpha=4"},
		{"α = ∞, sigmoid", "alpha=inf"},
		{"next to 1", "alpha=1.000000001"}, {"next to ∞", "alpha=1e12"}, {"next to 0", "alpha=0.02"},
	},
	Link: func(v Values) Link { return scaled(1 / v.Number("alpha")) },
	Soften: func(v Values) func(float64) Margin {
		end := min(v.Number("alpha"), endlessStep)
		if end <= 1 {
			return nil
		}
		return func(share float64) Margin { return NewAlpha(math.Pow(end, share)) }
	},
	Margin: func(v Values) Margin {
		l := NewAlpha(v.Number("alpha"))
		if l.beta == 0 {
			return l
		}
		return alphaLink{l}
	},
}

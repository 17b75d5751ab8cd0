package loss

import (
	"math"

	"taper/internal/engine/odds"
	"taper/internal/engine/tempered"
)

// Tempered is the two-temperature loss −log_t1 exp_t2(a_c − G_t2(a)) of two classes as a function of the
// margin, with activations ±z/2 (Amid et al. 2019; docs/math.md, Two-temperature loss). T1 < 1 bounds the
// loss; T2 > 1 makes the tail of the probability heavier.
type Tempered struct{ T1, T2 float64 }

// logs returns log p of the labelled class and of the other.
func (l Tempered) logs(z float64) (own, other float64) {
	x := tempered.BinaryGap(l.T2, z)
	near, far := tempered.LogExp(l.T2, -x), tempered.LogExp(l.T2, -(math.Abs(z)+x))
	if z < 0 {
		return far, near
	}
	return near, far
}

func (l Tempered) Value(_, z float64) float64 {
	own, _ := l.logs(z)
	return tempered.NegLog(l.T1, own)
}

// Slope is −p^(t2−t1)·q, where q is the escort probability of the other class; 0 where p = 0, outside the
// support.
func (l Tempered) Slope(_, z float64) float64 {
	own, other := l.logs(z)
	return -l.slope(own, other)
}

func (l Tempered) slope(own, other float64) float64 {
	if math.IsInf(own, -1) || math.IsInf(other, -1) {
		return 0
	}
	return math.Exp((l.T2-l.T1)*own - odds.Softplus(l.T2*(own-other)))
}

// Curve is p^(2t2−t1−1)·q²·[t2·q'/p' − (t2−t1)], where p' and q' belong to the other class and its
// escort: the formula of docs/errata.md, Amid 5, in logarithms.
func (l Tempered) Curve(z float64) (float64, bool) {
	own, other := l.logs(z)
	return l.curve(z, own, other)
}

func (l Tempered) curve(z, own, other float64) (float64, bool) {
	if math.IsInf(own, -1) || math.IsInf(other, -1) {
		return 0, math.Abs(z)*(1-l.T2) != 1
	}
	d := l.T2 * (own - other)
	a := (2*l.T2-l.T1-1)*own - 2*odds.Softplus(d)
	up := l.T2 * math.Exp(a-odds.Softplus(-d)-other)
	down := product(a, l.T2-l.T1)
	if math.IsInf(up, 1) && math.IsInf(down, 1) {
		return up, true // up is the larger one where both overflow, since q'/p' ≥ 1 there
	}
	return up - down, true
}

func (l Tempered) Probability(z float64) float64 {
	own, _ := l.logs(z)
	return math.Exp(own)
}

// Importance returns the weight factor p^(t2−t1).
func (l Tempered) Importance(z float64) float64 {
	own, _ := l.logs(z)
	return power(own, l.T2-l.T1)
}

// power returns p^e from log p; 1 for e = 0, even at p = 0.
func power(logp, e float64) float64 {
	if e == 0 {
		return 1
	}
	return math.Exp(e * logp)
}

// Regime reports that the loss is convex exactly for t1 ≥ t2 and t1 ≥ 1 (docs/math.md, Two-temperature
// loss), and always quasi-convex (docs/errata.md, Amid 11).
func (l Tempered) Regime() Regime {
	r := Regime{QuasiConvex: true, Bound: inf, GivesUp: -inf}
	r.Convex = l.T1 >= l.T2 && l.T1 >= 1
	if l.T1 < 1 {
		r.Bound = 1 / (1 - l.T1)
	}
	switch {
	case l.T2 >= 1:
	case l.T1 >= 1:
		r.Warnings = append(r.Warnings, "The loss is infinite beyond the margin −1/(1 − t₂).")
	case l.T1 > l.T2:
		r.Warnings = append(r.Warnings, "The slope grows without bound towards the margin −1/(1 − t₂).")
	}
	if l.T2 < 1 {
		edge := 1 / (1 - l.T2)
		r.GivesUp, r.Kinks = -edge, []float64{-edge, edge}
	}
	if l.T2 > l.T1 {
		r.GivesUp = l.inflection()
	}
	return r
}

// inflection solves t2(1 + 1/λ) = (t2−t1)(1 + λ^t2) for λ = p'/p > 0. The left side decreases and the
// right side increases, so there is one root.
func (l Tempered) inflection() float64 {
	over := func(u float64) bool { // u = log λ
		return math.Log(l.T2)+odds.Softplus(-u) < math.Log(l.T2-l.T1)+odds.Softplus(l.T2*u)
	}
	lo, hi := -1.0, 1.0
	for over(lo) && lo > -1e6 {
		lo *= 2
	}
	for !over(hi) && hi < 1e6 {
		hi *= 2
	}
	for range 100 {
		if mid := (lo + hi) / 2; over(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return l.margin(-hi)
}

// margin returns the z at which log p/p' is u.
func (l Tempered) margin(u float64) float64 {
	return tempered.NegLog(l.T2, odds.LogSigmoid(-u)) - tempered.NegLog(l.T2, odds.LogSigmoid(u))
}

// temperedLink adds the link, which exists for t1 > 0: the class probability is p^t1 normalised, not
// p^t2.
type temperedLink struct{ Tempered }

func (l temperedLink) ClassProbability(z float64) float64 {
	own, other := l.logs(z)
	return odds.Sigmoid(l.T1 * (own - other))
}

func (l temperedLink) Cut(pi float64) float64 { return l.margin(odds.Logit(pi) / l.T1) }

// LogOddsSlope is the derivative of the log odds of the recovered probability with respect to the score,
// t1·(p·p')^(t2−1)/(p^t2 + p'^t2). It is the constant t1 only for t2 = 1, and t1·2^(1−t2) at score 0
// (docs/clinical.md, Statistics). It is +Inf where p' = 0.
func (l temperedLink) LogOddsSlope(f float64) float64 {
	own, other := l.logs(math.Abs(f))
	if math.IsInf(other, -1) {
		return inf
	}
	return l.T1 * math.Exp((l.T2-1)*(own+other)-l.T2*own-odds.Softplus(l.T2*(other-own)))
}

// soften interpolates both temperatures linearly from (1, 1).
func (l Tempered) soften() func(float64) Margin {
	if l.Regime().Convex {
		return nil
	}
	return func(share float64) Margin { return Tempered{1 + share*(l.T1-1), 1 + share*(l.T2-1)} }
}

func newTempered(t1, t2 float64) Margin {
	if t1 == 0 {
		return Tempered{t1, t2}
	}
	return temperedLink{Tempered{t1, t2}}
}

var twoTemperature = Family{
	ID: "tempered", Title: "Two-temperature", Kind: KindMargin,
	Source:  "Amid, Warmuth and Srinivasan 2019, equation (16)",
	Errata:  []string{"Amid 1", "Amid 4", "Amid 5", "Amid 6", "Amid 9", "Amid 11"},
	Formula: `-\log_{t_1}\exp_{t_2}\bigl(\tfrac z2-G_{t_2}(z)\bigr)`,
	Use: "t₁ bounds the loss of one row, t₂ makes the tail heavy: mislabelled rows lose their influence on " +
		"the fit.",
	Params: []Param{
		temperature("t1", "t₁", lossBound, 0, 1, .6, "below 1 the loss is bounded by 1/(1 − t₁)"),
		temperature("t2", "t₂", tailHeaviness, 1, 1.99, 1.6, "above 1 the tails are heavy"),
	},
	Cases: []Case{
		{"the paper’s", "t1=0.6&t2=1.6"}, {"t-logistic", "t1=1&t2=1.6"}, {"logistic", "t1=1&t2=1"},
		{"sigmoid", "t1=0&t2=1"}, {"α = 2", "t1=0.5&t2=1"}, {"closed form", "t1=0.3&t2=2"},
		{"convex, heavy", "t1=1.3&t2=1.3"},
		{"weak", "t1=0.1&t2=1.12"}, {"steeper than convex", "t1=1.5&t2=1.2"}, {"compact", "t1=0.5&t2=0.5"},
		{"compact, slope unbounded", "t1=0.8&t2=0.4"}, {"clipped line", "t1=0&t2=0"},
		{"next to 1", "t1=1.000000001&t2=0.999999999"},
		{"corner", "t1=4&t2=4"}, {"far corner", "t1=0&t2=4"}, {"infinite beyond the support", "t1=4&t2=0"},
	},
	Link: func(v Values) Link {
		if v.Number("t2") == 1 {
			return scaled(v.Number("t1"))
		}
		return Link{ID: LinkEscort, Formula: "logit P = t₁ · logit p, p the model’s own probability"}
	},
	Margin: func(v Values) Margin { return newTempered(v.Number("t1"), v.Number("t2")) },
	Soften: func(v Values) func(float64) Margin { return Tempered{v.Number("t1"), v.Number("t2")}.soften() },
}

// Labels of the temperatures.
const (
	lossBound     = "loss bound"
	tailHeaviness = "tail heaviness"
)

func temperature(name, symbol, label string, lo, hi, standard float64, about string) Param {
	return Param{
		Name: name, Symbol: symbol, Label: label, Type: Number, Min: 0, Max: 4,
		SliderMin: lo, SliderMax: hi, Step: .01, Default: Value{Number: standard}, Description: about,
	}
}

// tLogistic is the case t1 = 1, 1 ≤ t ≤ 2 (Ding and Vishwanathan 2010; docs/math.md, t-logistic
// regression). Its class probability is p itself, and the paper's ξ is proportional to p^(t−1).
var tLogistic = Family{
	ID: "t-logistic", Title: "t-logistic", Kind: KindMargin,
	Source:  "Ding and Vishwanathan 2010; the case t₁ = 1",
	Formula: `-\log\exp_t\bigl(\tfrac z2-G_t(z)\bigr)`,
	Use: "A heavy-tailed likelihood: calibrated like logistic regression, but the loss grows only logarithmically " +
		"with the margin.",
	Params: []Param{{
		Name: "t", Symbol: "t", Label: tailHeaviness, Type: Number, Min: 1, Max: 2,
		SliderMin: 1, SliderMax: 1.99, Step: .01, Default: Value{Number: 1.6},
		Ticks: []Tick{{1, "1 logistic"}}, Description: "1 is logistic; larger values down-weight outliers more",
	}},
	Cases: []Case{
		{"t = 1, logistic", "t=1"}, {"t = 1.3", "t=1.3"}, {"t = 1.6", "t=1.6"}, {"t = 1.9", "t=1.9"},
		{"t = 2, closed form", "t=2"}, {"next to 1", "t=1.0000001"},
	},

	Prior: true, Relative: true, PaperSolver: "cmp",

	Link: func(v Values) Link {
		if v.Number("t") == 1 {
			return scaled(1)
		}
		return Link{ID: LinkEscort, Formula: "P = p, the t-exponential model’s own probability"}
	},
	Margin: func(v Values) Margin { return newTempered(1, v.Number("t")) },
	Soften: func(v Values) func(float64) Margin { return Tempered{1, v.Number("t")}.soften() },
}

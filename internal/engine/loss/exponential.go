package loss

import (
	"math"

	"taper/internal/engine/odds"
)

// Exponential is e^−z.
type Exponential struct{}

func (Exponential) Value(_, z float64) float64      { return math.Exp(-z) }
func (Exponential) Slope(_, z float64) float64      { return -math.Exp(-z) }
func (Exponential) Curve(z float64) (float64, bool) { return math.Exp(-z), true }
func (Exponential) ClassProbability(z float64) float64 {
	return odds.Sigmoid(2 * z)
}
func (Exponential) Cut(pi float64) float64 { return odds.Logit(pi) / 2 }
func (Exponential) Regime() Regime         { return convex }

var exponential = Family{
	ID: "exponential", Title: "Exponential", Kind: KindMargin,
	Source:  "baseline; the case α = ½, AdaBoost",
	Formula: `e^{-z}`,
	Use:     "Boosting on clean labels. A single mislabelled row can dominate the fit.",
	Link:    func(Values) Link { return scaled(2) },
	Margin:  func(Values) Margin { return Exponential{} },
}

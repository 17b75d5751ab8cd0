package loss

import "taper/internal/engine/odds"

// Logistic is log(1 + e^−z).
type Logistic struct{}

func (Logistic) Value(_, z float64) float64         { return odds.Softplus(-z) }
func (Logistic) Slope(_, z float64) float64         { return -odds.Sigmoid(-z) }
func (Logistic) Curve(z float64) (float64, bool)    { return odds.Sigmoid(z) * odds.Sigmoid(-z), true }
func (Logistic) Probability(z float64) float64      { return odds.Sigmoid(z) }
func (Logistic) ClassProbability(z float64) float64 { return odds.Sigmoid(z) }
func (Logistic) Cut(pi float64) float64             { return odds.Logit(pi) }
func (Logistic) Regime() Regime                     { return convex }

var logistic = Family{
	ID: "logistic", Title: "Logistic", Kind: KindMargin,
	Source:  "baseline; the case α = 1, t₁ = t₂ = 1",
	Formula: `\log(1+e^{-z})`,
	Use:     "Calibrated probabilities on clean labels.",
	Link:    func(Values) Link { return scaled(1) },
	Margin:  func(Values) Margin { return Logistic{} },
}

package loss

import "taper/internal/engine/odds"

// Savage is σ(−z)² (Masnadi-Shirazi and Vasconcelos 2008), the example of
// docs/add-a-loss.md: bounded by 1, and its link is σ.
type Savage struct{}

func (Savage) Value(_, z float64) float64 { c := odds.Sigmoid(-z); return c * c }

func (Savage) Slope(_, z float64) float64 {
	c := odds.Sigmoid(-z)
	return -2 * c * c * odds.Sigmoid(z)
}

func (Savage) Curve(z float64) (float64, bool) {
	s, c := odds.Sigmoid(z), odds.Sigmoid(-z)
	return 2 * c * c * s * (2*s - c), true
}

func (Savage) ClassProbability(z float64) float64 { return odds.Sigmoid(z) }
func (Savage) Cut(pi float64) float64             { return odds.Logit(pi) }

func (Savage) Regime() Regime {
	return Regime{QuasiConvex: true, Bound: 1, GivesUp: odds.Logit(1. / 3)}
}

var savage = Family{
	ID: "savage", Title: "Savage", Kind: KindMargin,
	Source:  "Masnadi-Shirazi and Vasconcelos 2008",
	Formula: `\sigma(-z)^2`,
	Use:     "A bounded loss with the logistic link.",
	Link:    func(Values) Link { return scaled(1) },
	Margin:  func(Values) Margin { return Savage{} },
}

package loss

import "math"

// Probit is the 1 − erf loss, erfc(2z) = 1 − erf(2z), with values in (0, 2). Its slope is an even
// function, so no class probability can be recovered (docs/errata.md, Ding 7).
type Probit struct{}

func (Probit) Value(_, z float64) float64 { return math.Erfc(2 * z) }
func (Probit) Slope(_, z float64) float64 { return -4 / math.SqrtPi * math.Exp(-4*z*z) }
func (Probit) Curve(z float64) (float64, bool) {
	e := math.Exp(-4 * z * z)
	if e == 0 {
		return 0, true
	}
	return 32 * z / math.SqrtPi * e, true
}
func (Probit) Regime() Regime { return Regime{QuasiConvex: true, Bound: 2, GivesUp: 0} }

var probit = Family{
	ID: "probit", Title: "1 − erf (‘probit’)", Kind: KindMargin,
	Source: "Ding and Vishwanathan 2010, baseline", Errata: []string{"Ding 7"},
	Formula: `1-\operatorname{erf}(2z)`,
	Use: "The smooth bounded comparison loss of Ding and Vishwanathan (2010), 1 − erf: " +
		"not probit regression, whose loss −log Φ is convex.",
	Margin: func(Values) Margin { return Probit{} },
}

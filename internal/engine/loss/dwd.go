package loss

import "math"

// DWD is the loss of distance-weighted discrimination: 1 − z for z ≤ ½, 1/(4z) above (docs/errata.md,
// Kimes 12).
type DWD struct{}

func (DWD) Value(_, z float64) float64 {
	if z < .5 {
		return 1 - z
	}
	return 1 / (4 * z)
}

func (DWD) Slope(_, z float64) float64 {
	if z < .5 {
		return -1
	}
	return -1 / (4 * z) / z
}

func (DWD) Curve(z float64) (float64, bool) {
	if z < .5 {
		return 0, true
	}
	return 1 / (2 * z) / z / z, z != .5
}

func (DWD) ClassProbability(z float64) float64 {
	switch {
	case z > .5:
		return 1 / (1 + 1/(4*z*z))
	case z < -.5:
		return 1 / (4*z*z + 1)
	}
	return .5
}

func (DWD) Cut(pi float64) float64 {
	switch {
	case pi > .5:
		return .5 * math.Sqrt(pi/(1-pi))
	case pi < .5:
		return -.5 * math.Sqrt((1-pi)/pi)
	}
	return 0
}

func (DWD) Regime() Regime { return kinked(.5) }

var dwd = Family{
	ID: "dwd", Title: "Distance-weighted discrimination", Kind: KindMargin,
	Source: "Kimes et al. 2016, baseline", Errata: []string{"Kimes 12"},
	Formula: `1-z\ (z<\tfrac12),\quad \tfrac1{4z}\ (z\ge\tfrac12)`,
	Use:     "High-dimensional data: every observation keeps some influence, however large its margin.",
	Link: func(Values) Link {
		return Link{ID: LinkDWD, Formula: "P = 4f²/(4f² + 1) above ½, 1/(4f² + 1) below −½, else ½"}
	},
	Margin: func(Values) Margin { return DWD{} },
}

package loss

// Hinge is [1 − z]_+.
type Hinge struct{}

func (Hinge) Value(_, z float64) float64      { return max(0, 1-z) }
func (Hinge) Slope(_, z float64) float64      { return -step(z < 1) }
func (Hinge) Curve(z float64) (float64, bool) { return 0, z != 1 }
func (Hinge) Regime() Regime                  { return kinked(1) }

var hinge = Family{
	ID: "hinge", Title: "Hinge", Kind: KindMargin,
	Source:  "baseline",
	Formula: `[1-z]_+`,
	Use:     "Support vector machines: decides at ½, gives no probability.",

	Polyhedral: true,

	Margin: func(Values) Margin { return Hinge{} },
}

// SquaredHinge is [1 − z]_+².
type SquaredHinge struct{}

func (SquaredHinge) Value(_, z float64) float64      { u := max(0, 1-z); return u * u }
func (SquaredHinge) Slope(_, z float64) float64      { return -2 * max(0, 1-z) }
func (SquaredHinge) Curve(z float64) (float64, bool) { return 2 * step(z < 1), z != 1 }
func (SquaredHinge) ClassProbability(z float64) float64 {
	return min(1, max(0, .5+.5*z))
}
func (SquaredHinge) Cut(pi float64) float64 { return 2*pi - 1 }
func (SquaredHinge) Regime() Regime         { return kinked(1) }

var squaredHinge = Family{
	ID: "squared-hinge", Title: "Squared hinge", Kind: KindMargin,
	Source:  "baseline",
	Formula: `[1-z]_+^2`,
	Use:     "A smooth hinge; probabilities are recovered between −1 and 1.",
	Link: func(Values) Link {
		return Link{ID: LinkSquaredHinge, Formula: "P = (1 + f)/2, within 0 and 1"}
	},
	Margin: func(Values) Margin { return SquaredHinge{} },
}

// Ramp is min(1 − s, [1 − z]_+), the hinge loss truncated at the margin s < 1.
type Ramp struct{ S float64 }

func (l Ramp) Value(_, z float64) float64      { return min(1-l.S, max(0, 1-z)) }
func (l Ramp) Slope(_, z float64) float64      { return -step(l.S < z && z < 1) }
func (l Ramp) Curve(z float64) (float64, bool) { return 0, z != 1 && z != l.S }
func (l Ramp) Regime() Regime {
	return Regime{QuasiConvex: true, Bound: 1 - l.S, GivesUp: l.S, Kinks: []float64{l.S, 1}}
}

var ramp = Family{
	ID: "ramp", Title: "Ramp", Kind: KindMargin,
	Source:  "named in Ding and Vishwanathan 2010; convention of Collobert et al. 2006",
	Formula: `\min(1-s,\,[1-z]_+)`,
	Use:     "A hinge that is constant below margin s: bounded, not smooth.",
	Params: []Param{{
		Name: "s", Symbol: "s", Type: Number, Min: -inf, Max: 1, ExclusiveMax: true,
		SliderMin: -3, SliderMax: .9, Step: .05, Default: Value{Number: -1},
		Description: "margin below which the gradient is 0",
	}},
	Cases:  []Case{{"s = −1", "s=-1"}, {"s = 0", "s=0"}, {"far off", "s=-40.5"}},
	Margin: func(v Values) Margin { return Ramp{v.Number("s")} },
}

// ZeroOne is 1 for z ≤ 0 and 0 otherwise. Its slope is 0 wherever it exists.
type ZeroOne struct{}

func (ZeroOne) Value(_, z float64) float64 { return step(z <= 0) }
func (ZeroOne) Slope(_, _ float64) float64 { return 0 }
func (ZeroOne) Regime() Regime {
	return Regime{QuasiConvex: true, Bound: 1, GivesUp: 0, Kinks: []float64{0}}
}

var zeroOne = Family{
	ID: "zero-one", Title: "Zero-one", Kind: KindMargin,
	Source:  "the target that the other losses approximate",
	Formula: `[z\le 0]`,
	Use:     "Counts errors. It cannot be minimised by gradients: its slope is 0.",

	Untrained: true,

	Margin: func(Values) Margin { return ZeroOne{} },
}

func step(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

package boost

import (
	"math"

	"taper/internal/engine/odds"
)

// at returns w(m) = σ(m)^e·σ(−m) and σ(m), for margins within the safe bound. The exponential
// loss does not need σ(m); it is then left 0.
func (a *mass) at(m float64) (w, hit float64) {
	if a.eval == nil {
		return math.Exp(-m), 0
	}
	q := math.Exp(-math.Abs(m))
	hit = 1 / (1 + q)
	miss := q * hit // σ(−m)
	if m < 0 {
		hit, miss = miss, hit
	}
	ls := min(m, 0) - math.Log(1+q) // log σ(m), absolute error 1e-16
	return math.Exp(a.e*ls) * miss, hit
}

// curve returns l″/w = σ(m) − e·σ(−m), given σ(m).
func (a *mass) curve(hit float64) float64 { return hit - a.e*(1-hit) }

// logSlope returns log w(m).
func (a *mass) logSlope(m float64) float64 {
	l := math.Log1p(math.Exp(-math.Abs(m)))
	return a.e*(min(m, 0)-l) + min(-m, 0) - l
}

// nearZero is the |x| below which (eˣ−1)/x is computed as 1 + x/2.
const nearZero = 1e-6

// loss returns l(m) = −log σ(m)·φ₁(e·log σ(m)) (docs/math.md, Margin alpha-loss); +Inf on overflow.
func (a *mass) loss(m float64) float64 {
	ls := odds.LogSigmoid(m)
	x := a.e * ls
	if math.Abs(x) < nearZero {
		return -ls * (1 + x/2)
	}
	return -math.Expm1(x) / a.e
}

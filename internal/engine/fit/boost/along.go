package boost

import (
	"math"

	"taper/internal/engine/odds"
)

// along adds up a block's share of J' and J″ at θ, returned in the fields sum and loss.
func (a *mass) along(k int, theta float64, u []float64) (p partial) {
	lo, hi := a.span(k)
	for i := lo; i < hi; i++ {
		w, hit := a.at(a.m[i] + theta*u[i])
		w *= a.shares[i]
		p.sum -= w * u[i]
		p.loss += w * a.curve(hit)
	}
	return p
}

// reach finds a block's largest log(v·w) at θ, by which alongFar scales.
func (a *mass) reach(k int, theta float64, u []float64) (p partial) {
	lo, hi := a.span(k)
	p.top = math.Inf(-1)
	for i := lo; i < hi; i++ {
		p.top = max(p.top, math.Log(a.shares[i])+a.logSlope(a.m[i]+theta*u[i]))
	}
	return p
}

// alongFar is along for margins at which w over- or underflows; its sums are scaled by
// exp(−top).
func (a *mass) alongFar(k int, theta, top float64, u []float64) (p partial) {
	lo, hi := a.span(k)
	for i := lo; i < hi; i++ {
		m := a.m[i] + theta*u[i]
		w := math.Exp(math.Log(a.shares[i]) + a.logSlope(m) - top)
		p.sum -= w * u[i]
		p.loss += w * a.curve(odds.Sigmoid(m))
	}
	return p
}

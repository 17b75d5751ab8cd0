package boost

import "math"

// theta finds the coefficient of a tree.
type theta struct {
	rule string
	mass *mass
	flat int // number of trees along which the loss had no minimum
}

// of returns θ for the weighted error ε in (0, ½) and the signs u = y·h.
func (t *theta) of(eps float64, u []float64) float64 {
	odds := math.Log1p(-eps) - math.Log(eps)
	switch t.rule {
	case AlphaLog:
		return odds / (1 - t.mass.e) // α = 1/(1−e)
	case LineSearch:
		if theta, ok := t.search(u); ok {
			return theta
		}
		t.flat++
	}
	return odds / 2
}

const (
	firstStep = 0.5
	farthest  = 1 << 20 // the search ends at this θ
)

// search returns the smallest positive zero of J' for J(θ) = Σ v·l(m+θu); false if there is
// none. J decreases at 0 because the tree is better than chance. A convex J (α ≤ 1) has one
// zero. For α > 1 the bracket grows in smaller steps, which makes it unlikely to skip a pair of
// zeros.
func (t *theta) search(u []float64) (float64, bool) {
	grow := 2.0
	if t.mass.e > 0 {
		grow = 1.25
	}
	lo, hi := 0.0, firstStep
	for {
		rise, bend := t.rise(hi, u)
		if rise >= 0 {
			return t.zero(lo, hi, rise, bend, u), true
		}
		if lo, hi = hi, hi*grow; hi > farthest {
			return 0, false
		}
	}
}

// zero returns a zero of J' in the bracket (lo, hi), by Newton steps from the upper end,
// replaced by bisection where a step would leave the bracket. Convergence is quadratic: after a
// step of 1e-8 the error is about its square.
func (t *theta) zero(lo, hi, rise, bend float64, u []float64) float64 {
	x := hi
	for range 200 {
		next, newton := x-rise/bend, true
		if !(next > lo && next < hi) {
			next, newton = lo+(hi-lo)/2, false
		}
		if step := math.Abs(next - x); newton && step <= 1e-8*x || step <= 1e-15*x {
			return next
		}
		x = next
		if rise, bend = t.rise(x, u); rise < 0 {
			lo = x
		} else {
			hi = x
		}
	}
	return x
}

// rise returns J' and J″ at θ up to a common positive factor.
func (t *theta) rise(theta float64, u []float64) (first, second float64) {
	a := t.mass
	if a.near(a.largest + theta) {
		a.each(func(k int) { a.part[k] = a.along(k, theta, u) })
	} else {
		a.each(func(k int) { a.part[k] = a.reach(k, theta, u) })
		top := math.Inf(-1)
		for _, p := range a.part {
			top = max(top, p.top)
		}
		a.each(func(k int) { a.part[k] = a.alongFar(k, theta, top, u) })
	}
	for _, p := range a.part {
		first += p.sum
		second += p.loss
	}
	return first, second
}

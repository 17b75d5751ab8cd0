package tempered

import (
	"math"

	"taper/internal/engine/vector"
)

// Gap returns x = G_t(a) − max a ≥ 0, where G_t(a) solves Σ_j exp_t(a_j − G) = 1 (docs/math.md,
// Log-partition G_t). The activations must be finite.
func Gap(t float64, a []float64) float64 {
	top, at := math.Inf(-1), 0
	for j, v := range a {
		if v > top {
			top, at = v, j
		}
	}
	s := solver{t: t, a: a, top: top, at: at}
	return s.solve()
}

// BinaryGap returns the gap of the activations (a/2, −a/2). It is even in a, and G = |a|/2 + gap.
func BinaryGap(t, a float64) float64 {
	o := math.Abs(a)
	switch {
	case a != a:
		return a
	case t == 1:
		return math.Log1p(math.Exp(-o))
	case t == 2:
		return 1 / (math.Sqrt(o*o/4+1) + o/2)
	case (1-t)*o >= 1: // outside the support: p = (1, 0)
		return 0
	case t == 0:
		return (1 - o) / 2
	}
	s := solver{t: t, a: []float64{0, -o}}
	return s.solve()
}

// LogProbs fills dst with log exp_t(a_j − G_t(a)) and returns the gap. dst may
// be a.
func LogProbs(dst []float64, t float64, a []float64) (gap float64) {
	gap = Gap(t, a)
	top := math.Inf(-1)
	for _, v := range a {
		top = max(top, v)
	}
	for j, v := range a {
		dst[j] = LogExp(t, -((top - v) + gap))
	}
	return gap
}

// solver finds the gap by Newton's method from 0, applied to h = log_t Σp instead of Σp − 1. With one
// class, or equal ones, h is linear in x. In general it is increasing and concave for t > 1 and
// decreasing and convex for t < 1 (a power mean with exponent 1/(1−t) of the functions 1 + (t−1)(o_j +
// x)), so every iterate stays on the same side of the root. For t > 1 Halley's correction makes
// convergence cubic: 3 steps for most problems, where Newton on Σp takes 6 to 17. A corrected step may
// pass the root; from there an uncorrected one returns to the first side.
type solver struct {
	t   float64
	a   []float64
	top float64 // a[at], the largest activation
	at  int
}

// vanishing is the step below which the search ends, since doubles have no digits left there.
const vanishing = 1e-290

func (s *solver) solve() float64 {
	switch {
	case s.t == 1:
		return math.Log1p(s.light())
	case s.t < 1:
		return s.compact()
	}
	return s.heavy()
}

// light returns Σp − 1 at x = 0 for t = 1: the sum of all terms except the largest, which is 1.
func (s *solver) light() (over float64) {
	for j, v := range s.a {
		if j != s.at {
			over += vector.Exp(-(s.top - v))
		}
	}
	return over
}

// heavy solves for t > 1, where p = u^(−1/(t−1)), p^t = p/u and the derivative of p^t is −t·p/u², with u
// = 1 + (t−1)(o + x). The largest term is computed with expm1, so its difference from 1 is accurate for
// tiny x.
func (s *solver) heavy() (x float64) {
	rate := s.t - 1
	power := -1 / rate
	for {
		u := vector.Log1p(rate*x) * power
		p, over := vector.Expm1(u)
		q := 1 / (1 + rate*x)
		sum1, sum2 := p*q, p*q*q
		for j, v := range s.a {
			if j == s.at {
				continue
			}
			u := rate * ((s.top - v) + x)
			p := vector.Exp(vector.Log1p(u) * power)
			q := 1 / (1 + u)
			over += p
			p *= q
			sum1 += p
			sum2 += p * q
		}
		step := s.step(over, sum1)
		step /= max(.5, 1-.5*step*s.t*(sum2/sum1-sum1/(1+over)))
		if x = max(0, x+step); math.Abs(step) <= max(1e-6*x, vanishing) {
			return x
		}
	}
}

// step is Newton's step for log_t(S), S = 1 + over: log_t(S)·S^t/Σp^t, where S^t = S/S^(1−t). Near the
// root a series is used, whose remainder changes the step by a relative 1e-6.
func (s *solver) step(over, slope float64) float64 {
	t := s.t
	if math.Abs(over) < .01 {
		return over * (1 + over*t*(1./2+over*(t-2)*(1./6))) / slope
	}
	e, m := vector.Expm1((1 - t) * math.Log1p(over))
	return m * (1 + over) / ((1 - t) * e * slope)
}

// compact solves for t < 1, without the terms outside the support. Convergence is quadratic.
func (s *solver) compact() (x float64) {
	for {
		l := LogExp(s.t, -x)
		over, slope := math.Expm1(l), math.Exp(s.t*l)
		for j, v := range s.a {
			y := (s.top - v) + x
			if l := LogExp(s.t, -y); j != s.at && l > math.Inf(-1) {
				p := math.Exp(l)
				over += p
				slope += p / (1 + (s.t-1)*y)
			}
		}
		if !(over > 0) {
			return x
		}
		step := s.step(over, slope)
		if x += step; step <= max(1e-9*x, vanishing) {
			return x
		}
	}
}

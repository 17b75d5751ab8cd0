package tempered

import "math"

// Gap returns x = G_t(a) − max a ≥ 0, where G_t(a) solves
// Σ_j exp_t(a_j − G) = 1 (docs/math.md §2). The activations are finite.
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

// BinaryGap returns the gap of the activations (a/2, −a/2): it is even in a,
// and G = |a|/2 + gap.
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

// solver finds the gap by Newton's method from 0, on h = log_t Σp rather than
// on the sum itself. With one class or equal ones h is linear in x; it is
// concave and rising for t > 1 and convex and falling for t < 1 (a mean of power
// 1/(1−t) of the functions 1 + (t−1)(o_j + x)), so that every iterate stays on
// the near side of the root. For t > 1 Halley's correction makes it cubic: 3
// steps for most problems where Newton on Σp takes 6 to 17. A corrected step may
// pass the root, and the next one comes back: on that side a plain tangent ends
// on the near side again.
type solver struct {
	t   float64
	a   []float64
	top float64 // a[at], the maximum
	at  int
}

// vanishing steps end the search where doubles lose their digits.
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

// light is Σp − 1 at x = 0 and t = 1, the sum of the other terms.
func (s *solver) light() (over float64) {
	for j, v := range s.a {
		if j != s.at {
			over += QuickExp(-(s.top - v))
		}
	}
	return over
}

// heavy solves for t > 1, where p = u^(−1/(t−1)), p^t = p/u and the derivative
// of p^t is −t·p/u², with u = 1 + (t−1)(o + x). The largest term enters by
// expm1, which keeps its distance from 1 however small x is.
func (s *solver) heavy() (x float64) {
	rate := s.t - 1
	power := -1 / rate
	for {
		u := QuickLog1p(rate*x) * power
		p, over := QuickExpm1(u)
		q := 1 / (1 + rate*x)
		sum1, sum2 := p*q, p*q*q
		for j, v := range s.a {
			if j == s.at {
				continue
			}
			u := rate * ((s.top - v) + x)
			p := QuickExp(QuickLog1p(u) * power)
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

// step is Newton's for log_t(S), S = 1 + over: log_t(S)·S^t/Σp^t, where
// S^t = S/S^(1−t). Near the root a series serves: what it leaves out moves the
// step by 1e-6 of itself.
func (s *solver) step(over, slope float64) float64 {
	t := s.t
	if math.Abs(over) < .01 {
		return over * (1 + over*t*(1./2+over*(t-2)*(1./6))) / slope
	}
	e, m := QuickExpm1((1 - t) * math.Log1p(over))
	return m * (1 + over) / ((1 - t) * e * slope)
}

// compact solves for t < 1, leaving out what lies beyond the support. The error
// is squared in each step.
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

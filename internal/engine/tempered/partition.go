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
	case t == 1:
		return math.Log1p(math.Exp(-o))
	case t == 2:
		return 1 / (math.Sqrt(o*o/4+1) + o/2)
	case (1-t)*o >= 1: // outside the support: p = (1, 0)
		return 0
	case t == 0:
		return (1 - o) / 2
	}
	two := [2]float64{0, -o}
	s := solver{t: t, a: two[:]}
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

// solver finds the gap by Newton's method from 0, on log_t of the sum rather
// than on the sum itself. With one class or equal ones log_t S is linear in x,
// so a few steps do; it is concave and rising for t > 1 and convex and falling
// for t < 1 (a mean of power 1/(1−t) of the functions 1 + (t−1)(o_j + x)), and
// every iterate therefore stays on the near side of the root: no safeguard is
// needed.
type solver struct {
	t   float64
	a   []float64
	top float64 // a[at], the maximum
	at  int
}

// rough is the relative step after which one more would move nothing: the
// error is squared in each.
const rough = 1e-9

func (s *solver) solve() float64 {
	x := 0.0
	for {
		over, slope := s.sums(x)
		if !(over > 0) {
			return x
		}
		l := math.Log1p(over) // log S
		// log_t(S)·S^t / Σ p^t, where S^t = exp(t·l)
		step := -NegLog(s.t, l) * math.Exp(s.t*l) / slope
		x += step
		if step <= rough*x || math.IsInf(x, 1) {
			return x
		}
	}
}

// sums returns Σ p_j − 1 and Σ p_j^t at the gap x. The largest term enters by
// expm1, which keeps its distance from 1 however small x is.
func (s *solver) sums(x float64) (over, slope float64) {
	l := LogExp(s.t, -x)
	over, slope = math.Expm1(l), math.Exp(s.t*l)
	for j, v := range s.a {
		if j == s.at {
			continue
		}
		y := (s.top - v) + x
		if l = LogExp(s.t, -y); l == math.Inf(-1) {
			continue
		}
		p := math.Exp(l)
		over += p
		slope += p / (1 + (s.t-1)*y) // p^t
	}
	return over, slope
}

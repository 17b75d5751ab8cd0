package train

import (
	"math"
	"slices"
)

// primal returns mean φ + (λ/2)‖w‖² at theta, given its scores.
func (s *newton) primal(theta, f []float64) float64 {
	sum := 0.0
	for i, v := range s.set.v {
		sum += v * s.side[s.set.side[i]].eval(f[i])
	}
	return sum + s.penalty(theta)
}

func (s *newton) penalty(theta []float64) float64 {
	w := theta[:len(theta)-1]
	return s.l2 / 2 * dot(w, w)
}

// gap estimates the absolute duality gap at the current point: each row's
// Fenchel–Young gap φ(f) − t·f − E(t) plus the gradient's slack.
func (s *newton) gap() float64 {
	sum := 0.0
	for i, v := range s.set.v {
		k := &s.side[s.set.side[i]]
		t := k.clamp(s.t[i])
		sum += v * math.Abs(k.eval(s.f[i])-t*s.f[i]-k.conjugate(t))
	}
	return sum + s.slack()
}

// dual returns the dual objective at a feasible point near the multipliers
// (math.md §6), and leaves the weights that belong to it in w. The multipliers
// already lie in their ranges; Σ v·t = 0 is met by shrinking one class's.
func (s *newton) dual(w []float64) float64 {
	var mass [2]float64
	for i, v := range s.set.v {
		mass[s.set.side[i]] += v * math.Abs(s.side[s.set.side[i]].clamp(s.t[i]))
	}
	shrink := [2]float64{1, 1}
	if mass[0] > mass[1] {
		shrink[0] = mass[1] / mass[0]
	} else if mass[1] > 0 {
		shrink[1] = mass[0] / mass[1]
	}
	sum := 0.0
	for i, v := range s.set.v {
		c := s.set.side[i]
		k := &s.side[c]
		t := shrink[c] * k.clamp(s.t[i])
		s.vt[i] = v * t
		sum += v * k.conjugate(t)
	}
	s.rows.adjoint(w, s.vt)
	for j := range w {
		w[j] /= -s.l2
	}
	return sum - s.penalty(w)
}

// exactIntercept returns the smallest b that minimises the objective for given
// w: the objective is piecewise linear in b with breakpoints h_k − w·x_i
// (math.md §6). f holds the scores at the intercept start; the search looks at
// the breakpoints near it first.
func (s *newton) exactIntercept(f []float64, start float64, scratch []breakpoint) (float64, []breakpoint) {
	lo, hi := s.bracket(f)
	points := scratch[:0]
	slope := 0.0 // of the objective just right of lo
	for i, v := range s.set.v {
		k := &s.side[s.set.side[i]]
		slope += v * k.slopeAt(f[i]+lo)
		for j, h := range k.at {
			if at := h - f[i]; at > lo && at <= hi && v > 0 {
				points = append(points, breakpoint{at, v * (k.slope[j+1] - k.slope[j])})
			}
		}
	}
	slices.SortFunc(points, func(a, b breakpoint) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	for _, p := range points {
		if slope += p.jump; slope >= -1e-15 {
			return start + p.at, points
		}
	}
	return start + hi, points
}

// bracket returns shifts of the intercept with slopes < 0 ≤, the nearest to
// zero that doubling finds.
func (s *newton) bracket(f []float64) (lo, hi float64) {
	for lo = -1e-6; s.shiftSlope(f, lo) >= 0; lo *= 16 {
		hi = lo
	}
	if hi < 0 {
		return lo, hi
	}
	for hi = 1e-6; s.shiftSlope(f, hi) < 0; hi *= 16 {
		lo = hi
	}
	return lo, hi
}

// shiftSlope returns the right derivative in b at the scores f + shift.
func (s *newton) shiftSlope(f []float64, shift float64) float64 {
	sum := 0.0
	for i, v := range s.set.v {
		sum += v * s.side[s.set.side[i]].slopeAt(f[i]+shift)
	}
	return sum
}

// slopeAt returns the right derivative at f.
func (k *kinks) slopeAt(f float64) float64 {
	j := 0
	for j < len(k.at) && f >= k.at[j] {
		j++
	}
	return k.slope[j]
}

// breakpoint is where a row's loss bends as the intercept moves.
type breakpoint struct{ at, jump float64 }

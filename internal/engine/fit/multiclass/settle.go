package multiclass

import (
	"math"
	"slices"
)

// settler finds, up to rounding, the best mixture of a hull's corners with the penalty (σ/2)‖Δu‖² on
// moving u. It uses Wolfe's active-set method for the nearest point of a polytope (Math. Programming,
// 1976), with a linear term. Exchanging shares between pairs of corners would zigzag here.
type settler struct {
	set    []int     // active corners
	factor []float64 // Cholesky factor of the products of their differences from the first
	change []float64 // change of the shares of all but the first
}

// dependent is the smallest part of a squared difference that must be orthogonal to the earlier
// differences for a corner to count as independent.
const dependent = 1e-12

// settle moves shares within a hull whose corners have been evaluated at c.f.
func (c *climber) settle(h hull, sigma float64) {
	s := &c.settler
	s.set = s.set[:0]
	for j := range h {
		if h[j].a > 0 {
			s.set = append(s.set, j)
		}
	}
	for range 8 * len(h) {
		if len(s.set) > 1 && c.trade(h, sigma) {
			continue // a corner left the active set: look again at the others
		}
		best, _ := h.ends()
		worth := h[s.set[0]].at
		if h[best].at-worth <= rounding*max(1, math.Abs(worth)) || slices.Contains(s.set, best) {
			return
		}
		s.set = append(s.set, best)
	}
}

// trade moves to the best mixture of the active corners, or until the first share becomes 0; then it
// removes that corner and returns true.
func (c *climber) trade(h hull, sigma float64) (ended bool) {
	s := &c.settler
	step := 1.0
	if !s.toward(h, sigma) {
		step = math.Inf(1)
	}
	first := 0.0
	for _, d := range s.change {
		first -= d
	}
	at := -1
	for n, j := range s.set {
		if d := s.changeOf(n, first); d < 0 && h[j].a < -d*step {
			at, step = n, h[j].a/-d
		}
	}
	if math.IsInf(step, 1) {
		return false
	}
	for n, j := range s.set {
		d := step * s.changeOf(n, first)
		h[j].a = max(0, h[j].a+d)
		axpy(d, h[j].g, c.du)
		axpy(-sigma*d, h[j].g, c.f)
	}
	h.mean(c.f)
	if at < 0 {
		return false
	}
	h[s.set[at]].a = 0
	s.set = slices.Delete(s.set, at, at+1)
	return true
}

func (s *settler) changeOf(n int, first float64) float64 {
	if n == 0 {
		return first
	}
	return s.change[n-1]
}

// toward stores the change of shares that leads to the best mixture of the active corners. If these are
// dependent, it stores one that leaves u unchanged and does not decrease the value; such a change has no
// natural end, and toward returns false.
func (s *settler) toward(h hull, sigma float64) bool {
	n := len(s.set) - 1
	s.factor = slices.Grow(s.factor[:0], n*n)[:n*n]
	s.change = slices.Grow(s.change[:0], n)[:n]
	clear(s.change)
	zero := &h[s.set[0]]
	for a := range n {
		row := s.factor[a*n : (a+1)*n]
		for b := range a + 1 {
			row[b] = fromThird(h[s.set[a+1]].g, h[s.set[b+1]].g, zero.g)
		}
		whole := row[a]
		for b := range a {
			row[b] = (row[b] - dot(row[:b], s.factor[b*n:b*n+b])) / s.factor[b*n+b]
			row[a] -= row[b] * row[b]
		}
		if row[a] <= dependent*whole {
			s.alongNothing(h, a, n)
			return false
		}
		row[a] = math.Sqrt(row[a])
		s.change[a] = (h[s.set[a+1]].at - zero.at) / sigma
		s.change[a] = (s.change[a] - dot(row[:a], s.change[:a])) / row[a]
	}
	s.back(n, n)
	return true
}

// alongNothing stores the change of shares that leaves u unchanged: more for the corner after a, taken
// from the earlier ones whose combination it is.
func (s *settler) alongNothing(h hull, a, n int) {
	copy(s.change, s.factor[a*n:a*n+a])
	clear(s.change[a:])
	s.back(a, n)
	zero := h[s.set[0]].at
	slope := h[s.set[a+1]].at - zero
	for b := range a {
		slope -= s.change[b] * (h[s.set[b+1]].at - zero)
	}
	sign := 1.0
	if slope < 0 {
		sign = -1
	}
	for b := range a {
		s.change[b] *= -sign
	}
	s.change[a] = sign
}

// back solves with the transposed factor of the first m corners.
func (s *settler) back(m, n int) {
	for a := m - 1; a >= 0; a-- {
		for b := a + 1; b < m; b++ {
			s.change[a] -= s.factor[b*n+a] * s.change[b]
		}
		s.change[a] /= s.factor[a*n+a]
	}
}

// fromThird is (a − c)·(b − c).
func fromThird(a, b, c []float64) float64 {
	sum := 0.0
	for j, v := range c {
		sum += (a[j] - v) * (b[j] - v)
	}
	return sum
}

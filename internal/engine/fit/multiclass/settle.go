package multiclass

import (
	"math"
	"slices"
)

// settler finds the mixture of a hull's corners that is worth most when moving
// u is priced by (σ/2)‖Δu‖², to rounding: the active sets of Wolfe (Math.
// Programming, 1976) for the point of a polytope nearest to a given one, with a
// linear term. Shares that are only traded in pairs zigzag there.
type settler struct {
	set    []int     // corners that may have a share
	factor []float64 // Cholesky's, of the products of their differences from the first
	change []float64 // of the shares of all but the first
}

// dependent is the part of a squared difference of corners that the ones before
// must leave over for it to be a direction of its own.
const dependent = 1e-12

// settle moves shares of a hull whose corners are valued at c.f.
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
			continue // a share went: look again at the others
		}
		best, _ := h.ends()
		worth := h[s.set[0]].at
		if h[best].at-worth <= rounding*max(1, math.Abs(worth)) || slices.Contains(s.set, best) {
			return
		}
		s.set = append(s.set, best)
	}
}

// trade moves to the best mixture of the set, or to where the first share ends;
// then it takes that corner out and reports so.
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

// toward stores the change of shares to the best mixture of the set, or where
// the corners depend on each other, one that moves nothing and is worth no
// less; that has no end of its own, and toward is false.
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

// alongNothing stores the change that leaves u where it is: one share more for
// the corner after a, taken from those before as they span it.
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

// back solves with the transposed factor of the first m.
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

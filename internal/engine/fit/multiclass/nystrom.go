package multiclass

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/vector"
)

// Default numbers of landmarks.
const (
	landmarksSmooth = 1000 // for a smooth loss; fewer rows are all landmarks
	landmarksLarge  = 500  // for more than MaxExact rows
)

// nystrom maps rows to features whose inner products are the kernel's, exactly between landmarks and
// approximately elsewhere: φ(x) = L⁻¹(κ(x_1, x) …) with L·Lᵀ the Gram matrix of the landmarks (Williams
// and Seeger 2001). L is a pivoted Cholesky factor, which omits landmarks that are linear combinations of
// the others.
type nystrom struct {
	kernel Kernel
	rows   linear.Matrix // landmarks, in pivot order
	square []float64
	factor []float64 // L, r×r, lower triangle
}

// spanned is the relative residual of the kernel's diagonal below which a landmark counts as a linear
// combination of the others.
const spanned = 1e-11

func newNystrom(k Kernel, x linear.Matrix) *nystrom { return newNystromWithin(k, x, x.Rows) }

// newNystromWithin returns nil where more than limit landmarks are needed.
func newNystromWithin(k Kernel, x linear.Matrix, limit int) *nystrom {
	n := x.Rows
	g := newGram(k, x)
	rest := make([]float64, n) // residual of the diagonal
	scale := 0.0
	for i := range rest {
		rest[i] = g.diagonal(i)
		scale = max(scale, rest[i])
	}
	var pivots []int
	var l [][]float64 // columns of the factor, over all landmarks
	var by []float64
	for len(pivots) < n {
		at := 0
		for i, v := range rest {
			if v > rest[at] {
				at = i
			}
		}
		if !(rest[at] > spanned*scale) {
			break
		}
		if len(pivots) == limit {
			return nil
		}
		g.need([]int{at})
		c := slices.Clone(g.columns[at])
		g.columns[at] = nil
		by = by[:0]
		for _, b := range l {
			by = append(by, -b[at])
		}
		vector.Combine(c, l, by, 0)
		root := math.Sqrt(rest[at])
		for i := range c {
			c[i] /= root
			rest[i] -= c[i] * c[i]
		}
		c[at], rest[at] = root, math.Inf(-1)
		pivots, l = append(pivots, at), append(l, c)
	}
	return assemble(k, x, pivots, l)
}

func assemble(k Kernel, x linear.Matrix, pivots []int, l [][]float64) *nystrom {
	r := len(pivots)
	s := &nystrom{kernel: k, rows: linear.Matrix{Rows: r, Cols: x.Cols}, factor: make([]float64, r*r)}
	for a, i := range pivots {
		s.rows.Data = append(s.rows.Data, x.Row(i)...)
		s.square = append(s.square, dot(x.Row(i), x.Row(i)))
		for b := range a + 1 {
			s.factor[a*r+b] = l[b][i]
		}
	}
	return s
}

// features maps all rows.
func (s *nystrom) features(ctx context.Context, x linear.Matrix) linear.Matrix {
	r := s.rows.Rows
	out := linear.Matrix{Rows: x.Rows, Cols: r, Data: make([]float64, x.Rows*r)}
	b := newBlocks(x.Rows)
	spread(b.count, x.Rows*r*(r/2+x.Cols), func(k int) {
		lo, hi := b.span(k)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			f := out.Row(i)
			s.kernel.fill(f, s.rows, s.square, x.Row(i), dot(x.Row(i), x.Row(i)))
			for a := range f { // forward substitution
				f[a] = (f[a] - inner(s.factor[a*r:a*r+a], f[:a])) / s.factor[a*r+a]
			}
		}
	})
	return out
}

// expand converts weights of the features to coefficients of the landmarks, Lᵀ·a = w.
func (s *nystrom) expand(w []float64) []float64 {
	r := s.rows.Rows
	a := slices.Clone(w)
	for j := r - 1; j >= 0; j-- {
		a[j] /= s.factor[j*r+j]
		axpy(-a[j], s.factor[j*r:j*r+j], a[:j])
	}
	return a
}

// kernelize rewrites a linear score on features in terms of the landmarks.
func (m *Model) kernelize(s *nystrom) {
	m.Coefficients = make([][]float64, s.rows.Rows)
	for _, w := range m.Weights {
		for i, a := range s.expand(w) {
			m.Coefficients[i] = append(m.Coefficients[i], a)
		}
	}
	m.Kernel, m.Weights, m.Rows = &s.kernel, nil, make([][]float64, s.rows.Rows)
	for i := range m.Rows {
		m.Rows[i] = slices.Clone(s.rows.Row(i))
	}
	m.must()
}

// draw returns n different rows with positive weight, in their original order.
func (p *problem) draw(n int, seed uint64) linear.Matrix {
	var rows []int
	for i, v := range p.v {
		if v > 0 {
			rows = append(rows, i)
		}
	}
	if n < len(rows) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:n]
		slices.Sort(rows)
	}
	x := linear.Matrix{Rows: len(rows), Cols: p.x.Cols}
	for _, i := range rows {
		x.Data = append(x.Data, p.x.Row(i)...)
	}
	return x
}

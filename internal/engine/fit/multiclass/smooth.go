package multiclass

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/loss"
)

// smoother is the objective of a smooth loss and its gradient, over blocks of rows. theta holds W, then
// η. The solver's variables are u = √(λ + ¼ var)·w for each column, centred where free offsets can absorb
// the means, so that L-BFGS needs about the same number of iterations for columns of any unit.
type smoother struct {
	p      *problem
	ctx    context.Context
	loss   loss.Potential
	blocks blocks
	mean   []float64 // means of the columns; 0 where offsets are penalised
	root   []float64 // √(λ + ¼ var)
	theta  []float64
	point  []float64 // in the solver's variables: where value and grad were evaluated
	grad   []float64 // with respect to theta
	value  float64
	fresh  bool
	evals  int
	part   []float64
}

func newSmoother(ctx context.Context, p *problem) *smoother {
	d, size := p.x.Cols, p.head.m*p.x.Cols+p.head.r
	s := &smoother{p: p, ctx: ctx, loss: p.loss, blocks: newBlocks(p.x.Rows), mean: make([]float64, d),
		root:  make([]float64, d),
		theta: make([]float64, size), point: make([]float64, size), grad: make([]float64, size)}
	s.part = make([]float64, s.blocks.count*(size+1))
	moment := make([]float64, d)
	for i, v := range p.v {
		axpy(v, p.x.Row(i), moment)
	}
	for i, v := range p.v {
		for j, c := range p.x.Row(i) {
			s.root[j] += v * (c - moment[j]) * (c - moment[j])
		}
	}
	for j, q := range s.root {
		s.root[j] = math.Sqrt(p.l2 + q/4)
	}
	if p.head.free && p.head.r > 0 {
		copy(s.mean, moment)
	}
	return s
}

// from stores theta for a point of the solver. Offsets undo the centring: B·η = B·η' − S·W·mean with B =
// ±1.
func (s *smoother) from(theta, point []float64) {
	s.turn(theta, point, -1, func(j int) float64 { return 1 / s.root[j] })
}

// to stores the solver's point for theta.
func (s *smoother) to(point, theta []float64) {
	s.turn(point, theta, 1, func(j int) float64 { return s.root[j] })
}

func (s *smoother) turn(dst, src []float64, sign float64, scale func(int) float64) {
	d, m := s.p.x.Cols, s.p.head.m
	shift := make([]float64, m) // W·mean
	for l := range m {
		for j := range d {
			dst[l*d+j] = src[l*d+j] * scale(j)
			w := dst[l*d+j]
			if sign > 0 {
				w = src[l*d+j]
			}
			shift[l] += w * s.mean[j]
		}
	}
	f := make([]float64, s.p.head.k)
	s.p.head.addTo(f, s.p.head.s, shift)
	copy(dst[m*d:], src[m*d:])
	if s.p.head.free {
		for l := range dst[m*d:] {
			dst[m*d+l] += sign * s.p.head.b[l*s.p.head.r+l] * f[l]
		}
	}
}

// slope converts the gradient in theta to the solver's variables.
func (s *smoother) slope(dst []float64) {
	d, m, r := s.p.x.Cols, s.p.head.m, s.p.head.r
	copy(dst, s.grad)
	shift, none := make([]float64, m), make([]float64, r)
	if s.p.head.free && r > 0 {
		u := make([]float64, s.p.head.k)
		for l := range u {
			u[l] = s.p.head.b[l*r+l] * s.grad[m*d+l]
		}
		s.p.head.back(shift, none, u, 1)
	}
	for l := range m {
		for j := range d {
			dst[l*d+j] = (s.grad[l*d+j] - s.mean[j]*shift[l]) / s.root[j]
		}
	}
}

// at evaluates at a point of the solver, unless it was evaluated there last.
func (s *smoother) at(point []float64) {
	if s.fresh && slices.Equal(point, s.point) {
		return
	}
	copy(s.point, point)
	s.from(s.theta, point)
	s.pass()
	s.fresh = true
}

// pass evaluates at theta.
func (s *smoother) pass() {
	s.evals++
	size := len(s.theta)
	spread(s.blocks.count, 4*s.p.x.Rows*s.p.x.Cols*s.p.head.m, s.block)
	sums := s.part[:size+1]
	for b := 1; b < s.blocks.count; b++ {
		axpy(1, s.part[b*(size+1):(b+1)*(size+1)], sums)
	}
	copy(s.grad, sums)
	penalised := size
	if s.p.head.free {
		penalised -= s.p.head.r
	}
	axpy(s.p.l2, s.theta[:penalised], s.grad[:penalised])
	s.value = sums[size] + s.p.l2/2*inner(s.theta[:penalised], s.theta[:penalised])
	if s.value != s.value || math.IsInf(s.value, 0) {
		s.value = math.Inf(1) // overflow: the line search must shorten its step
	}
}

func (s *smoother) block(b int) {
	h, d, size := s.p.head, s.p.x.Cols, len(s.theta)
	to := s.part[b*(size+1) : (b+1)*(size+1)]
	clear(to)
	f, g, z := make([]float64, h.k), make([]float64, h.k), make([]float64, h.m)
	eta := s.theta[h.m*d:]
	lo, hi := s.blocks.span(b)
	for i := lo; i < hi && s.ctx.Err() == nil; i++ {
		v, x := s.p.v[i], s.p.x.Row(i)
		if v == 0 {
			continue
		}
		for l := range z {
			z[l] = inner(s.theta[l*d:(l+1)*d], x)
		}
		h.apply(f, z, eta)
		to[size] += v * s.loss.Grad(g, s.p.y[i], f)
		clear(z)
		h.back(z, to[h.m*d:size], g, v)
		for l, c := range z {
			axpy(c, x, to[l*d:(l+1)*d])
		}
	}
}

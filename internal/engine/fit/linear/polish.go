package linear

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// polisher finishes a fit with few columns by Newton's method. L-BFGS compares objectives, and their
// rounding stops it at gradients of about 1e-8; with a small λ the scores can then still be wrong by
// 1e-4. Newton's steps are accepted by their gradient and reach 1e-12. A factored Hessian is reused while
// each step with it reduces the gradient to a tenth.
type polisher struct {
	e        *entropy
	scale    *scaling
	hessian  *curvature
	point    []float64 // in the scaled coordinates
	grad     []float64 // at point
	step     []float64
	next     []float64
	slope    []float64 // gradient at next
	value    float64   // objective at point
	norm     float64   // ‖grad‖∞
	accepted func()    // called after each step; nil = none
	steps    int
	most     int     // largest number of steps
	slow     float64 // ratio of gradients above which convergence is slow and the Hessian is computed again
	learns   bool    // the Hessian is that of a sample, and corrected by moves
	moves    []move  // since it was factored
}

const (
	polishFrom   = 1e-4    // gradient at which Newton's method takes over for a convex loss
	polished     = 1e-12   // gradient to reach
	polishWork   = 1 << 24 // rows × columns² above which a Hessian is too expensive
	polishWidest = 96      // largest number of columns
	factorings   = 40
	quick        = .1 // polisher.slow of a Hessian of all rows
	halvings     = 12
)

// polishes reports whether Newton's method is worthwhile.
func (e *entropy) polishes() bool {
	n := len(e.theta)
	return n <= polishWidest && e.set.x.Rows*n*n <= polishWork
}

// polish improves the point as far as possible and leaves the objective evaluated there.
func (p *polisher) polish(tol float64) {
	p.enter()
	for range factorings {
		if p.norm <= tol || p.steps >= p.most || parallel.Yield(p.e.ctx) != nil || !p.hessian.factor() || !p.descend(tol) {
			break
		}
	}
	p.e.at(p.point, p.scale)
}

// enter evaluates at the point.
func (p *polisher) enter() {
	p.e.at(p.point, p.scale)
	p.scale.gradient(p.grad, p.e.grad)
	p.value, p.norm = p.e.value, MaxNorm(p.grad)
}

// descend makes steps with one factored Hessian; false when none helped.
func (p *polisher) descend(tol float64) bool {
	for first := true; p.norm > tol && p.steps < p.most && p.e.ctx.Err() == nil; first = false {
		p.direct()
		before := p.norm
		if !p.try(1) && !(first && p.shorter()) {
			return !first
		}
		if p.norm > p.slow*before {
			return true
		}
	}
	return true
}

// try accepts a step, or part of it, if it halves the gradient without increasing the objective beyond
// rounding, or if the objective decreases clearly.
func (p *polisher) try(part float64) bool {
	for j, s := range p.step {
		p.next[j] = p.point[j] + part*s
	}
	p.e.at(p.next, p.scale)
	p.scale.gradient(p.slope, p.e.grad)
	norm, fall := MaxNorm(p.slope), p.value-p.e.value
	rounding := roundingLoss * math.Abs(p.value)
	if !(norm <= p.norm/2 && fall >= -rounding) && !(fall >= -1e-4*part*dot(p.grad, p.step) && fall > 10*rounding) {
		return false
	}
	if p.learns {
		p.learn()
	}
	p.point, p.next, p.grad, p.slope = p.next, p.point, p.slope, p.grad
	p.value, p.norm = p.e.value, norm
	p.steps++
	if p.accepted != nil {
		p.accepted()
	}
	return true
}

// shorter tries the step halved repeatedly.
func (p *polisher) shorter() bool {
	part := 1.
	for range halvings {
		if part /= 2; p.try(part) {
			return true
		}
	}
	return false
}

// curvature is the Hessian in the scaled coordinates.
type curvature struct {
	e     *entropy
	scale *scaling
	gram  *gram
	h     []float64 // upper triangle, later its Cholesky factor
	spare []float64
	fn    func(int)
}

func newCurvature(e *entropy, scale *scaling) *curvature {
	n := len(e.theta)
	c := &curvature{e: e, scale: scale, gram: newGram(n-1, e.rows.count, e.rows.team), h: make([]float64, n*n),
		spare: make([]float64, n)}
	c.fn = c.task
	return c
}

// factor computes and factors the Hessian at the entropy's theta; false when it is not positive definite.
func (c *curvature) factor() bool {
	c.sum()
	return c.cholesky()
}

// cholesky factors the Hessian that was computed.
func (c *curvature) cholesky() bool { return c.e.ctx.Err() == nil && vector.Cholesky(c.h, c.spare) }

// sum computes the Hessian.
func (c *curvature) sum() {
	n := len(c.e.theta)
	copy(c.gram.mean, c.scale.mean[:n-1])
	for j, root := range c.scale.root {
		c.gram.inverse[j] = 1 / root
	}
	c.gram.run(c.gram.shares, &c.fn)
	clear(c.h)
	c.gram.total(c.h, n, c.gram.shares)
	for j, q := range c.e.ridges() {
		c.h[j*n+j] += q / (c.scale.root[j] * c.scale.root[j])
	}
	if c.e.pinned {
		for j := range n {
			c.h[j*n+n-1] = 0
		}
		c.h[n*n-1] = 1
	}
}

// solve stores −H⁻¹·grad in dst.
func (c *curvature) solve(dst, grad []float64) {
	n := len(dst)
	for j, g := range grad {
		dst[j] = -g
	}
	kernel.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, n, c.h, n, dst, 1)
	kernel.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, n, c.h, n, dst, 1)
}

// task sums Σ v·ℓ”·aaᵀ over its rows a = ((x−m)/√D, 1/√D₀).
func (c *curvature) task(k int) {
	x := c.e.set.x
	lo, hi := k*x.Rows/c.gram.shares, (k+1)*x.Rows/c.gram.shares
	c.gram.share(k, func(weights []float64) []float64 {
		at := lo
		lo = min(lo+slice, hi)
		if at == lo || c.e.ctx.Err() != nil {
			return nil
		}
		c.e.curves(weights[:lo-at], at, k)
		return x.Data[at*x.Cols : lo*x.Cols]
	})
}

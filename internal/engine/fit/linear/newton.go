package linear

import (
	"context"
	"math"

	"taper/internal/engine/pages"
	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// newton minimises the interval objective by the method of multipliers. Each kink is smoothed over a
// width ε about the current multiplier (Moreau envelope; slopes stay in their range, so the multipliers
// are a dual point). The smoothed problem is solved by Newton steps with an exact line search, and ε
// decreases until the duality gap is proven. This is the semismooth Newton augmented Lagrangian method of
// Li, Sun and Toh (SIAM J. Optim. 2018), applied to the dual problem of docs/math.md, Interval classification.
//
// theta, grad and step have d+1 entries; the last belongs to the intercept.
type newton struct {
	ctx   context.Context
	set   sample
	rows  *rows
	team  *team
	side  [2]kinks // surrogates of the classes −1 and +1
	hulls hulls    // the same for many rows at once
	l2    float64
	eps   float64
	ramps *vector.Ramps // slopes of the smoothed surrogates

	theta, grad, step []float64
	f                 []float64 // scores at theta
	u                 []float64 // f + ε·center: where the envelope is evaluated
	df                []float64 // change of the scores along step
	center            []float64 // multipliers about which the kinks are smoothed
	t                 []float64 // multipliers: derivative of the envelope in f, −y·s in docs/math.md
	vt                []float64 // weight × multiplier
	bent              []uint8   // 1 for the rows on a smoothed kink
	best, proof       []float64 // theta and t with the smallest gap so far
	central           bool      // center has this t, and proof nothing
	large             bool      // sees all rows only a few times
	none              float64   // objective of the best constant score

	hess                       hessian
	search                     lineSearch
	bendFn, moveFn, searchedFn func(int) // one block of rows
	tryFn                      func(block, lo, hi int)
	onStep                     func() // called after each step; may be nil

	promise float64 // twice the expected decrease of the objective in the last step
	steps   int
	passes  int // number of gradient evaluations
}

func newNewton(ctx context.Context, set sample, side [2]kinks, t *team) *newton {
	n, d := set.x.Rows, set.x.Cols
	s := &newton{ctx: ctx, set: set, rows: newRows(set.x, t), team: t, side: side, hulls: newHulls(side),
		theta: make([]float64, d+1), best: make([]float64, d+1), grad: make([]float64, d+1),
		step: make([]float64, d+1),
		f:    pages.Make[float64](n), u: pages.Make[float64](n), df: pages.Make[float64](n), center: pages.Make[float64](n),
		t: pages.Make[float64](n), vt: pages.Make[float64](n), bent: pages.Make[uint8](n),
		ramps: vector.NewRamps(len(side[0].at))}
	s.central, s.large = true, set.x.many()
	s.bendFn, s.moveFn, s.searchedFn, s.tryFn = s.bendBlock, s.moveBlock, s.searchedBlock, s.try
	s.hess.init(s)
	s.search.init(s)
	return s
}

// bend sets the width of the smoothed kinks and evaluates at theta, whose scores are in f.
func (s *newton) bend(eps float64) {
	s.smooth(eps)
	s.rows.in = s.vt
	s.team.run(s.rows.count, &s.bendFn)
	s.turn()
}

// smooth sets the width.
func (s *newton) smooth(eps float64) {
	s.eps = eps
	s.ramps.Rise(1 / eps)
	for c := range s.side {
		s.side[c].smooth(s.ramps, c, eps)
	}
}

func (s *newton) bendBlock(k int) {
	lo, hi := s.rows.span(k)
	s.bendRows(lo, hi)
	s.rows.adjointBlock(k)
}

func (s *newton) bendRows(lo, hi int) {
	for i := lo; i < hi; i++ {
		s.u[i] = s.f[i] + float64(s.eps*s.center[i])
	}
	s.levels(s.f, s.center, s.eps, lo, hi)
}

// levels computes the multipliers of some rows at from + part·by, and which of the rows are bent. It returns what
// the line search asks for.
func (s *newton) levels(from, by []float64, part float64, lo, hi int) (slope, curve float64) {
	return s.ramps.Levels(s.t[lo:hi], s.vt[lo:hi], s.bent[lo:hi], from[lo:hi], by[lo:hi], s.set.v[lo:hi],
		s.set.side[lo:hi], part)
}

// try computes the change of some rows' scores along the step, of which both has made the products, and what follows
// from the whole step.
func (s *newton) try(block, lo, hi int) {
	slope, curve := s.levels(s.u, s.df, 1, lo, hi)
	s.search.part[2*block] += slope
	s.search.part[2*block+1] += curve
}

// moveBlock makes the step, whose multipliers are known.
func (s *newton) moveBlock(k int) {
	lo, hi := s.rows.span(k)
	for i := lo; i < hi; i++ {
		move := float64(s.search.alpha * s.df[i])
		s.f[i] += move
		s.u[i] += move
	}
}

// searchedBlock makes a step whose multipliers are not those of the whole step.
func (s *newton) searchedBlock(k int) {
	lo, hi := s.rows.span(k)
	s.levels(s.u, s.df, s.search.alpha, lo, hi)
	s.rows.adjointBlock(k)
	s.moveBlock(k)
}

// keep ends a stage: its multipliers become the center, and where the gap is the smallest so far the point and
// these multipliers are kept. Only once a later stage is worse do they need memory of their own.
func (s *newton) keep(best bool) {
	switch {
	case best:
		copy(s.best, s.theta)
	case s.central:
		s.proof = append(s.proof[:0], s.center...)
	}
	s.central = best
	copy(s.center, s.t)
}

// multipliers returns those of the best point.
func (s *newton) multipliers() []float64 {
	if s.central {
		return s.center
	}
	return s.proof
}

// turn makes the gradient of the blocks' partial sums.
func (s *newton) turn() {
	s.rows.sum(s.grad)
	kernel.Daxpy(len(s.theta)-1, s.l2, s.theta, 1, s.grad, 1)
	s.passes++
}

// slack is the contribution of the gradient to the duality gap: ‖∇w‖²/2λ + r·|∇b|, where the range r of
// the kinks is the farthest that an intercept can move.
func (s *newton) slack() float64 {
	d := len(s.grad) - 1
	neg, pos := s.side[0].at, s.side[1].at
	return dot(s.grad[:d], s.grad[:d])/(2*s.l2) + (pos[len(pos)-1]-neg[0])*math.Abs(s.grad[d])
}

// solve minimises the smoothed problem until the gradient's contribution to the gap is at most tol, two
// consecutive steps have an expected decrease of at most floor, or max steps were made.
func (s *newton) solve(tol, floor float64, max int) error {
	spent := 0
	for range max {
		if s.slack() <= tol || spent == 2 {
			return nil
		}
		if err := s.advance(); err != nil || s.search.alpha == 0 {
			return err
		}
		if s.onStep != nil {
			s.onStep()
		}
		spent++
		if s.promise > floor {
			spent = 0
		}
	}
	return nil
}

// advance makes one Newton step. A step length of 0 means that rounding allows no further decrease. The multipliers of
// the whole step are computed in the same reading of the rows as its scores, since most searches end there.
func (s *newton) advance() error {
	s.search.alpha = 0
	s.hess.assemble()
	if err := parallel.Yield(s.ctx); err != nil {
		return err
	}
	if !s.hess.solve(s.step, s.grad) {
		return nil
	}
	slope := dot(s.grad, s.step)
	if !(slope < 0) {
		return nil
	}
	s.promise = -slope
	s.search.start()
	s.rows.both(s.df, s.step, s.vt, s.tryFn)
	alpha := s.search.run(slope)
	kernel.Daxpy(len(s.theta), alpha, s.step, 1, s.theta, 1)
	if alpha == 1 {
		s.team.run(s.rows.count, &s.moveFn)
	} else {
		s.rows.in = s.vt
		s.team.run(s.rows.count, &s.searchedFn)
	}
	s.turn()
	s.steps++
	return s.ctx.Err()
}

func dot(a, b []float64) float64 { return kernel.Ddot(len(a), a, 1, b, 1) }

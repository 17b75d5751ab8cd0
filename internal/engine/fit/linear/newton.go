package linear

import (
	"context"
	"math"

	"taper/internal/engine/parallel"
)

// newton minimises the interval objective by the method of multipliers: each
// kink is bent over a width ε about the multiplier reached so far (Moreau
// envelope, so slopes stay in their range and the multipliers are a dual
// point), the bent problem is solved by Newton steps with an exact line
// search, and ε falls until the duality gap is proven. It is the semismooth
// Newton augmented Lagrangian method of Li, Sun and Toh (SIAM J. Optim. 2018)
// for the dual of docs/math.md §6.
//
// theta, grad and step have d+1 entries; the last belongs to the intercept.
type newton struct {
	ctx  context.Context
	set  sample
	rows *rows
	team *team
	side [2]kinks // surrogates of the classes −1 and +1
	l2   float64
	eps  float64

	theta, grad, step []float64
	f                 []float64 // scores at theta
	u                 []float64 // f + ε·center: where the envelope is evaluated
	df                []float64 // change of the scores along step
	center            []float64 // multiplier about which the kinks are bent
	t                 []float64 // multiplier: derivative of the envelope in f, −y·s in docs/math.md §6
	vt                []float64 // weight × multiplier
	state             []uint8   // piece of the envelope each row is on
	best, proof       []float64 // theta and t with the smallest gap so far

	hess   hessian
	search lineSearch
	turnFn func(int)
	onStep func() // nil, or called after each step

	promise float64 // decrease of the objective that the last step promised, twice
	steps   int
	passes  int // gradients
}

func newNewton(ctx context.Context, set sample, side [2]kinks, t *team) *newton {
	n, d := set.x.Rows, set.x.Cols
	s := &newton{ctx: ctx, set: set, rows: newRows(set.x, t), team: t, side: side,
		theta: make([]float64, d+1), best: make([]float64, d+1), proof: make([]float64, n), grad: make([]float64, d+1),
		step: make([]float64, d+1),
		f:    make([]float64, n), u: make([]float64, n), df: make([]float64, n), center: make([]float64, n),
		t: make([]float64, n), vt: make([]float64, n), state: make([]uint8, n)}
	s.turnFn = s.turnBlock
	s.hess.init(s)
	s.search.init(s)
	return s
}

// bend sets the width of the bent kinks and evaluates at theta.
func (s *newton) bend(eps float64) {
	s.eps = eps
	s.side[0].smooth(eps)
	s.side[1].smooth(eps)
	s.rows.apply(s.f, s.theta)
	for i, f := range s.f {
		s.u[i] = f + eps*s.center[i]
	}
	s.turn()
}

// keep remembers the present point and its multipliers as the best so far.
func (s *newton) keep() {
	copy(s.best, s.theta)
	copy(s.proof, s.t)
}

// turn updates everything that depends on u: states, multipliers, gradient.
func (s *newton) turn() {
	s.team.run(s.rows.count, &s.turnFn)
	s.rows.adjoint(s.grad, s.vt)
	kernel.Daxpy(len(s.theta)-1, s.l2, s.theta, 1, s.grad, 1)
	s.passes++
}

func (s *newton) turnBlock(k int) {
	lo, hi := s.rows.span(k)
	for i := lo; i < hi; i++ {
		c := &s.side[s.set.side[i]]
		z := c.locate(s.state[i], s.u[i])
		s.state[i] = z
		s.t[i] = c.pieces[z].slope(s.u[i])
		s.vt[i] = s.set.v[i] * s.t[i]
	}
}

// slack is what the gradient adds to the duality gap: ‖∇w‖²/2λ + r·|∇b|, with
// r the range of the kinks, the farthest an intercept moves.
func (s *newton) slack() float64 {
	d := len(s.grad) - 1
	neg, pos := s.side[0].at, s.side[1].at
	return dot(s.grad[:d], s.grad[:d])/(2*s.l2) + (pos[len(pos)-1]-neg[0])*math.Abs(s.grad[d])
}

// solve minimises the bent problem until its gradient adds no more than tol
// to the gap, two steps in a row promise no more than floor, or max steps are
// made.
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

// advance makes one Newton step; a step of length zero means that no descent
// is left in rounding.
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
	s.rows.apply(s.df, s.step)
	s.promise = -slope
	alpha := s.search.run(slope)
	kernel.Daxpy(len(s.theta), alpha, s.step, 1, s.theta, 1)
	kernel.Daxpy(len(s.f), alpha, s.df, 1, s.f, 1)
	kernel.Daxpy(len(s.u), alpha, s.df, 1, s.u, 1)
	s.turn()
	s.steps++
	return s.ctx.Err()
}

func dot(a, b []float64) float64 { return kernel.Ddot(len(a), a, 1, b, 1) }

package linear

import (
	"context"
	"math"
)

const (
	newtonSteps  = 1000
	stageSteps   = 50    // Newton steps at one width
	usualSteps   = 30    // Newton steps of a fit
	firstWidth   = 1.0   // of the bent kinks, in units of the score
	warmWidth    = 0.2   // when the neighbouring λ is solved
	leastWidth   = 1e-5  // below, the multiplier updates do the rest
	polish       = 1e-6  // of the gap asked for: where the kinks are met exactly
	maxIdle      = 12    // stages in a row that made the gap no smaller
	roundingLoss = 1e-13 // of the objective: what the gradient cannot go below
	reportCells  = 1e7   // cells × columns from which a step takes long
)

// prepare returns the solver, on a smaller matrix if the rows are fewer than
// the columns.
func prepare(ctx context.Context, set sample, side [2]kinks, r *rows) (*newton, *reduction) {
	if set.x.Rows >= set.x.Cols {
		return newNewton(ctx, set, side, r.team), nil
	}
	x, red := reduce(set.x)
	set.x = x
	return newNewton(ctx, set, side, r.team), red
}

// exact fits one λ in stages. Each solves the bent problem to a share of the
// gap that the stage before left, then bends the kinks more narrowly about
// its multipliers. The stages go on past the gap asked for until the kinks are
// met: a few steps more make the result the same from any start.
func (p *path) exact() (*Linear, error) {
	s := p.newton
	s.l2, s.steps, s.passes = p.judge.l2, 0, 0
	p.enter()
	if p.o.Trace != nil {
		p.trace(0, p.judge.certify(p.theta, s.t))
	}
	now := stage{width: firstWidth, tol: 1e-3}
	if p.done > 0 {
		now.width = warmWidth
	}
	for least, idle := math.Inf(1), 1; idle <= maxIdle; idle++ {
		s.bend(now.width)
		if err := s.solve(now.tol, now.floor, min(stageSteps, p.o.MaxIter-s.steps)); err != nil {
			return nil, err
		}
		gap, objective := s.gap()
		enough := p.o.Gap * math.Max(objective, gapFloor)
		copy(s.center, s.t)
		if gap < least {
			least, idle = gap, 0
			s.keep()
		}
		if least <= polish*enough || least <= 0.5*enough && idle > 0 {
			return p.leave("gap"), nil
		}
		if s.steps >= p.o.MaxIter {
			return p.leave("iterations"), nil
		}
		now.advance(s.slack() <= now.tol, gap <= enough, gap, roundingLoss*objective)
	}
	return p.leave("stalled"), nil
}

// stage is a bent problem and how well to solve it.
type stage struct {
	width float64
	tol   float64 // the slack to reach
	floor float64 // the objective's rounding
}

// advance sets the next stage. Until the gap is reached the bends narrow
// slowly, which keeps the Newton steps few; then the states are settled and a
// fast narrowing lands on the kinks. A stage that did not end well needs wider
// bends: rounding keeps the multipliers off.
func (a *stage) advance(solved, reached bool, gap, floor float64) {
	switch {
	case !solved:
		a.width *= 4
	case !reached:
		a.width, a.tol = math.Max(0.4*a.width, leastWidth), 0.3*gap
	default:
		a.width, a.tol = math.Max(0.1*a.width, leastWidth), 0.01*gap
	}
	a.tol, a.floor = math.Max(a.tol, floor), floor
}

// watch traces the steps of a fit, and reports between them where they are long.
func (p *path) watch() {
	s := p.newton
	slow := len(s.set.x.Data)*s.set.x.Cols >= reportCells
	s.onStep = func() {
		if p.o.Trace != nil {
			p.trace(s.steps, p.judge.certify(p.wide(s.theta), s.t))
		}
		if p.o.Report == nil || !slow {
			return
		}
		inside := float64(s.steps) / float64(s.steps+usualSteps)
		p.report(s.steps, inside, risk(s.set, &s.side, s.f)+penalty(s.l2, s.theta))
	}
}

// wide returns the solver's point in the user's columns.
func (p *path) wide(theta []float64) []float64 {
	if p.reduction == nil {
		return theta
	}
	own := make([]float64, len(p.theta))
	p.reduction.widen(own, theta)
	return own
}

// enter and leave carry the point between the user's columns and the solver's.
func (p *path) enter() {
	if p.reduction != nil {
		p.reduction.narrow(p.newton.theta, p.theta)
		return
	}
	copy(p.newton.theta, p.theta)
}

func (p *path) leave(stopped string) *Linear {
	copy(p.theta, p.wide(p.newton.best))
	v := p.judge.certify(p.theta, p.newton.proof)
	l := p.result(v, stopped)
	l.Iterations, l.Evaluations = p.newton.steps, p.newton.passes
	if stopped == "gap" && *l.Gap > p.o.Gap {
		l.Stopped = "stalled"
	}
	return l
}

// gap estimates the absolute duality gap at the present point by each row's
// Fenchel–Young gap φ(f) − t·f − E(t) and the gradient's slack, and returns
// the objective beside it.
func (s *newton) gap() (gap, objective float64) {
	s.rows.apply(s.f, s.theta) // without the rounding of the steps
	objective = penalty(s.l2, s.theta)
	for i, v := range s.set.v {
		k := &s.side[s.set.side[i]]
		t := k.clamp(s.t[i])
		phi := k.eval(s.f[i])
		gap += v * math.Abs(phi-t*s.f[i]-k.entropy(t))
		objective += v * phi
	}
	return gap + s.slack(), objective
}

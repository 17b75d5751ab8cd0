package train

import (
	"context"
	"math"
)

const (
	newtonSteps  = 1000
	stageSteps   = 50   // Newton steps at one width
	firstWidth   = 1.0  // of the bent kinks, in units of the score
	warmWidth    = 0.2  // when the neighbouring λ is solved
	leastWidth   = 1e-5 // below, the multiplier updates do the rest
	polish       = 1e-6 // of the gap asked for: where the kinks are met exactly
	maxIdle      = 12   // stages in a row that made the gap no smaller
	reportCells  = 10_000_000
	roundingLoss = 1e-13 // of the objective: what the gradient cannot go below
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
	width, inner, floor, least, idle := firstWidth, 1e-3, 0.0, math.Inf(1), 0
	if p.done > 0 {
		width = warmWidth
	}
	for idle < maxIdle {
		s.bend(width)
		if err := p.stage(inner, floor); err != nil {
			return nil, err
		}
		gap, objective := s.gap()
		enough := p.o.Gap * math.Max(objective, gapFloor)
		copy(s.center, s.t)
		idle++
		if gap < least {
			least, idle = gap, 0
			s.keep()
		}
		switch {
		case least <= polish*enough, least <= 0.5*enough && idle > 0:
			return p.leave("gap"), nil
		case s.steps >= p.o.MaxIter:
			return p.leave("iterations"), nil
		case s.slack() > inner: // rounding keeps the multipliers off: they need a wider bend
			width *= 4
		case gap > enough:
			width, inner = math.Max(0.4*width, leastWidth), 0.3*gap
		default:
			width, inner = math.Max(0.1*width, leastWidth), 0.01*gap
		}
		floor = roundingLoss * objective
		inner = math.Max(inner, floor)
	}
	return p.leave("stalled"), nil
}

// stage solves the bent problem, reporting between steps where they are long.
func (p *path) stage(tol, floor float64) error {
	s := p.newton
	steps, chunk := min(stageSteps, p.o.MaxIter-s.steps), stageSteps
	if d := s.set.x.Cols; len(s.set.x.Data)*d >= reportCells {
		chunk = 1
	}
	for ; steps > 0; steps -= chunk {
		before := s.steps
		if err := s.solve(tol, floor, min(chunk, steps)); err != nil {
			return err
		}
		if s.steps < before+chunk {
			return nil
		}
		if chunk == 1 {
			p.report(s.steps, risk(s.set, &s.side, s.f)+penalty(s.l2, s.theta))
		}
	}
	return nil
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
	if p.reduction != nil {
		p.reduction.widen(p.theta, p.newton.best)
	} else {
		copy(p.theta, p.newton.best)
	}
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

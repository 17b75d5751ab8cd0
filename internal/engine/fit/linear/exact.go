package linear

import (
	"context"
	"math"
)

const (
	newtonSteps  = 1000
	stageSteps   = 50    // Newton steps per width
	usualSteps   = 30    // typical number of Newton steps of a fit, for progress
	firstWidth   = 1.0   // first width of the smoothed kinks, in units of the score
	warmWidth    = 0.2   // first width when the neighbouring λ has been solved
	leastWidth   = 1e-5  // smallest width; multiplier updates do the rest
	polish       = 1e-6  // relative to the gap asked for: the accuracy at which the kinks are met exactly
	maxIdle      = 12    // consecutive stages without a smaller gap
	roundingLoss = 1e-13 // relative rounding of the objective, below which the gradient cannot be reduced
	telling      = 1e3   // decrease of the objective over its gap that leaves a few percent of the weights open
	reportCells  = 1e7   // rows × columns from which a single step is reported
)

// prepare returns the solver. If there are fewer rows than columns it works on a smaller matrix.
func prepare(ctx context.Context, set sample, side [2]kinks, r *rows) (*newton, *reduction) {
	if set.x.Rows >= set.x.Cols {
		return newNewton(ctx, set, side, r.team), nil
	}
	x, red := reduce(set.x)
	set.x = x
	return newNewton(ctx, set, side, r.team), red
}

// exact fits one λ.
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
	} else if p.o.Start == nil && s.large {
		var err error
		if now, err = s.sketched(now, p.o); err != nil {
			return nil, err
		}
	}
	s.none = p.constant().objective
	s.rows.apply(s.f, s.theta)
	stopped, err := s.run(now, p.o)
	if err != nil {
		return nil, err
	}
	return p.leave(stopped), nil
}

// run goes from stage to stage, from the scores in f, and returns why it stopped. Each stage solves the smoothed
// problem to a share of the gap that the previous one left, and then smooths the kinks over a smaller width about the
// new multipliers. The stages of a small fit continue after the requested gap is reached, until kinks are met exactly:
// a few more steps make the result independent of the starting point. They would be most of the time of a large fit,
// which makes them only where the gap leaves too much of its weights open.
func (s *newton) run(now stage, o IntervalOptions) (stopped string, err error) {
	for least, idle := math.Inf(1), 1; idle <= maxIdle; idle++ {
		s.bend(now.width)
		if err := s.solve(now.tol, now.floor, min(stageSteps, o.MaxIter-s.steps)); err != nil {
			return "", err
		}
		gap, objective := s.gap()
		enough := o.Gap * math.Max(objective, gapFloor)
		if gap < least {
			least, idle = gap, 0
		}
		s.keep(idle == 0)
		if least <= polish*enough || least <= 0.5*enough && (idle > 0 || s.large && s.none-objective > telling*gap) {
			return "gap", nil
		}
		if s.steps >= o.MaxIter {
			return "iterations", nil
		}
		now.advance(s.slack() <= now.tol, gap <= enough, gap, roundingLoss*objective)
	}
	return "stalled", nil
}

// stage is a smoothed problem and the accuracy to solve it with.
type stage struct {
	width float64
	tol   float64 // slack to reach
	floor float64 // rounding of the objective
}

// advance sets up the next stage. Until the gap is reached the width decreases slowly, which keeps the
// number of Newton steps small. Then the states of the rows no longer change, and a fast decrease meets
// the kinks exactly. After a stage that did not converge the width increases, because rounding disturbs
// the multipliers.
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

// watch sends steps to Trace, and reports progress between steps where they take long.
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
		p.report(s.steps, inside, p.judge.risk(s.f)+penalty(s.l2, s.theta))
	}
}

// wide returns the solver's point in terms of the user's columns.
func (p *path) wide(theta []float64) []float64 {
	if p.reduction == nil {
		return theta
	}
	own := make([]float64, len(p.theta))
	p.reduction.widen(own, theta)
	return own
}

// enter and leave convert the point between the user's columns and the solver's.
func (p *path) enter() {
	if p.reduction != nil {
		p.reduction.narrow(p.newton.theta, p.theta)
		return
	}
	copy(p.newton.theta, p.theta)
}

func (p *path) leave(stopped string) *Linear {
	copy(p.theta, p.wide(p.newton.best))
	t := p.newton.multipliers()
	var v verdict
	if p.newton.large {
		v = p.judge.prove(p.theta, t)
	}
	if v.theta == nil || v.gap() > p.o.Gap {
		v = p.judge.certify(p.theta, t)
	}
	l := p.result(v, stopped)
	l.Iterations, l.Evaluations = p.newton.steps, p.newton.passes
	if stopped == "gap" && *l.Gap > p.o.Gap {
		l.Stopped = "stalled"
	}
	return l
}

// gap estimates the absolute duality gap at the current point from each row's Fenchel–Young gap φ(f) −
// t·f − E(t) and the slack of the gradient. It also returns the objective. It leaves the scores of the point in f.
func (s *newton) gap() (gap, objective float64) {
	s.rows.apply(s.f, s.theta) // computed afresh, without the accumulated rounding of the steps
	gaps, risks := s.df, s.vt  // both are computed anew before they are next read
	s.rows.spread(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			k, v := &s.side[s.set.side[i]], s.set.v[i]
			t := k.clamp(s.t[i])
			phi := k.eval(s.f[i])
			gaps[i], risks[i] = v*math.Abs(phi-t*s.f[i]-k.entropy(t)), v*phi
		}
	})
	objective = penalty(s.l2, s.theta)
	for i, g := range gaps { // one after the other, so that the sum has the same bits on any number of cores
		gap += g
		objective += risks[i]
	}
	return gap + s.slack(), objective
}

package linear

import (
	"context"
	"math"
	"slices"
)

const (
	newtonSteps  = 1000
	stageSteps   = 50    // Newton steps per width
	usualSteps   = 30    // typical number of Newton steps of a fit, for progress
	firstWidth   = 0.5   // first width of the smoothed kinks, in units of the score
	warmWidth    = 0.2   // first width when the neighbouring λ, or other boundaries, have been solved
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
	if p.near || p.done > 0 {
		now.width = warmWidth
	}
	sketched := false
	if !p.near && p.done == 0 && p.o.sketches(s.set.x) {
		var err error
		if sketched, err = s.sketched(&now, p.o); err != nil {
			return nil, err
		}
	}
	if !sketched {
		s.rows.apply(s.f, s.theta)
		s.bend(now.width)
	}
	s.none = p.constant().objective
	stopped, err := s.run(now, p.o)
	if err != nil {
		return nil, err
	}
	return p.leave(stopped), nil
}

// run goes from stage to stage, the first of which is bent, and returns why it stopped. Each stage solves the smoothed
// problem to a share of the gap that the previous one left, and then smooths the kinks over a smaller width about the
// new multipliers. The stages continue after the gap asked for is reached, until kinks are met exactly: more steps make
// the result independent of the starting point. They would be most of the time of a large fit, or of one to a larger
// gap than usual, which make them only where the gap leaves too much of their weights open.
func (s *newton) run(now stage, o IntervalOptions) (stopped string, err error) {
	for least, idle := math.Inf(1), 1; idle <= maxIdle; idle++ {
		if err := s.solve(now.tol, now.floor, min(stageSteps, o.MaxIter-s.steps)); err != nil {
			return "", err
		}
		gap, objective := s.gap()
		enough := o.Gap * math.Max(objective, gapFloor)
		if gap < least {
			least, idle = gap, 0
		}
		s.keep(idle == 0)
		told := (s.large || o.Gap > defaultGap) && s.none-objective > telling*gap
		if least <= polish*enough || least <= 0.5*enough && (idle > 0 || told) {
			return "gap", nil
		}
		if s.steps >= o.MaxIter {
			return "iterations", nil
		}
		now.advance(s.slack() <= now.tol, gap, enough, roundingLoss*objective)
		s.bend(now.width)
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
func (a *stage) advance(solved bool, gap, enough, floor float64) {
	switch {
	case !solved:
		a.width *= 4
	case gap > enough:
		a.width, a.tol = math.Max(0.5*a.width, leastWidth), 0.3*gap
		if a.tol < 4*enough { // so that this stage can reach it
			a.tol = 0.2 * enough
		}
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
	if p.newton.large || p.o.Gap > defaultGap {
		v = p.judge.prove(p.theta, t)
	}
	if v.theta == nil || v.gap() > p.o.Gap {
		v = p.judge.certify(p.theta, t)
	}
	l := p.result(v, stopped)
	l.Iterations, l.Evaluations = p.newton.steps, p.newton.passes
	if p.o.Keep {
		l.multipliers = slices.Clone(t)
	}
	if stopped == "gap" && *l.Gap > p.o.Gap {
		l.Stopped = "stalled"
	}
	return l
}

// gap estimates the absolute duality gap at the current point from each row's Fenchel–Young gap φ(f) −
// t·f − E(t) and the slack of the gradient. It also returns the objective. A small fit computes the scores afresh,
// without the accumulated rounding of its many steps.
func (s *newton) gap() (gap, objective float64) {
	if !s.large {
		s.rows.apply(s.f, s.theta)
	}
	gaps := make([]float64, s.rows.count)
	risk := s.rows.total(func(lo, hi int) (risk float64) {
		var phi, conjugate [slice]float64
		gap, block := 0.0, lo/s.rows.block
		for ; lo < hi; lo += slice {
			end := min(lo+slice, hi)
			f, t, side := s.f[lo:end], s.t[lo:end], s.set.side[lo:end]
			s.hulls.values.Values(phi[:end-lo], f, side)
			s.hulls.conjugates.Values(conjugate[:end-lo], t, side)
			for i, v := range s.set.v[lo:end] {
				gap += v * math.Abs(phi[i]-float64(t[i]*f[i])+conjugate[i])
				risk += v * phi[i]
			}
		}
		gaps[block] = gap
		return risk
	})
	return inOrder(gaps) + s.slack(), risk + penalty(s.l2, s.theta)
}

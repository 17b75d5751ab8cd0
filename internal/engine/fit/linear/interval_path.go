package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// IntervalOptions are the settings of an interval fit; the zero value has the defaults.
type IntervalOptions struct {
	Start   *Linear        // starting point, with multipliers if it was fitted with Keep; nil = the best constant score
	Keep    bool           // keep the multipliers, so that a fit of the same rows can start near the optimum
	Gap     float64        // relative duality gap to certify; 0 = 1e-6
	MaxIter int            // steps per λ; 0 = 1,000 for Newton, 5,000 for the subgradient method
	Solver  string         // "" or "newton": exact; "subgradient": the method of the paper, for teaching
	Trace   func(Step)     // called at the start and after each step (every 50 of the subgradient method); nil = none
	Report  func(Progress) // called now and then from the calling goroutine; nil = none
}

// Solvers of an interval fit.
const (
	SolverNewton      = "newton"
	SolverSubgradient = "subgradient"
)

const defaultGap = 1e-6

// path is the state of a run over the penalties.
type path struct {
	ctx         context.Context
	o           IntervalOptions
	judge       *judge
	newton      *newton
	reduction   *reduction // nil unless there are more columns than rows
	theta       []float64  // start of the next fit, then its result
	near        bool       // the start is a fit of the same rows
	done, total int        // numbers of penalties
}

// start sets the first point.
func (p *path) start() {
	d := len(p.theta) - 1
	if s := p.o.Start; s != nil {
		copy(p.theta, s.W)
		p.theta[d] = s.B
		if n := p.newton; n != nil && len(s.multipliers) == len(n.center) {
			copy(n.center, s.multipliers)
			p.near = true
		}
		return
	}
	p.theta[d] = constant(p.judge.set.mass, p.judge.side)
}

// constant returns the best constant score. Only the total weights of the classes matter, so it solves
// the problem of two rows with these weights.
func constant(mass [2]float64, side [2]kinks) float64 {
	x := Matrix{Rows: 2}
	set, all := sample{x: x, side: []uint8{0, 1}, v: mass[:]}, newRows(x, newTeam(0))
	j := newJudge(set, side, all, make([]float64, 2), make([]float64, 2))
	return j.shift([]float64{0, 0})
}

// report reports progress; inside is the finished part of the current λ.
func (p *path) report(step int, inside, objective float64) {
	if p.o.Report == nil {
		return
	}
	p.o.Report(Progress{
		Fraction:  (float64(p.done) + inside) / float64(p.total),
		Message:   fmt.Sprintf("λ %d of %d", min(p.done+1, p.total), p.total),
		Iteration: step, Objective: objective,
	})
}

// trace sends a verdict to Trace.
func (p *path) trace(step int, v verdict) {
	if p.o.Trace == nil {
		return
	}
	d, gap := len(v.theta)-1, v.gap()
	p.o.Trace(Step{Iteration: step, W: slices.Clone(v.theta[:d]), B: v.theta[d], Objective: v.objective, Gap: &gap})
}

// result converts a verdict to a fit.
func (p *path) result(v verdict, stopped string) *Linear {
	v = p.simplest(v)
	d := len(p.theta) - 1
	gap := v.gap()
	l := &Linear{W: v.theta[:d:d], B: v.theta[d], Objective: v.objective, Gap: &gap, Stopped: stopped}
	if gap > p.o.Gap {
		l.Warnings = append(l.Warnings, fmt.Sprintf("The fit stopped at a relative duality gap of %.1e, above the %.1e "+
			"asked for.", gap, p.o.Gap))
	}
	return l
}

// constant returns the best constant score and its objective.
func (p *path) constant() verdict {
	d := len(p.theta) - 1
	none := verdict{theta: make([]float64, d+1)}
	none.theta[d] = constant(p.judge.set.mass, p.judge.side)
	for c, mass := range p.judge.set.mass {
		none.objective += mass * p.judge.side[c].eval(none.theta[d])
	}
	return none
}

// simplest returns the verdict on the best constant score if that is as good as the fit's point within
// both the duality gap proven for the fit and the gap asked for; otherwise v. Where the optimal weights
// are 0, a solver ends close to 0 but not exactly there. Such weights are rounding, but they would still
// rank rows and produce curves. So weights that the certificate cannot distinguish from 0 are set to 0.
func (p *path) simplest(v verdict) verdict {
	none := p.constant()
	none.bound = v.bound
	own := math.Max(v.gap(), polish*p.o.Gap)
	if none.gap() > math.Max(p.o.Gap, own) || none.objective-v.objective > own*math.Max(v.objective, gapFloor) {
		return v
	}
	return none
}

package linear

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// IntervalOptions sets an interval fit; the zero value is the default.
type IntervalOptions struct {
	Start   *Linear        // where to start; nil = the best constant score
	Gap     float64        // relative duality gap to certify; 0 = 1e-6
	MaxIter int            // steps for each λ; 0 = 1,000 for Newton, 5,000 for the subgradient
	Solver  string         // "" or "newton": exact; "subgradient": the paper's, for teaching
	Trace   func(Step)     // called at the start and after each step (of the subgradient each 50); nil = none
	Report  func(Progress) // called now and then from the calling goroutine; nil = silent
}

// Solvers of an interval fit.
const (
	SolverNewton      = "newton"
	SolverSubgradient = "subgradient"
)

const defaultGap = 1e-6

// path is a run over the penalties: where it stands and what it reports.
type path struct {
	ctx         context.Context
	o           IntervalOptions
	judge       *judge
	newton      *newton
	reduction   *reduction // nil unless there are more columns than rows
	theta       []float64  // start of the next fit, then its result
	done, total int        // penalties
}

// start sets the first point.
func (p *path) start() {
	d := len(p.theta) - 1
	if s := p.o.Start; s != nil {
		copy(p.theta, s.W)
		p.theta[d] = s.B
		return
	}
	p.theta[d] = constant(p.judge.set.mass, p.judge.side)
}

// constant returns the best constant score: that of two rows which weigh as
// much as the classes.
func constant(mass [2]float64, side [2]kinks) float64 {
	j := judge{set: sample{side: []uint8{0, 1}, v: mass[:]}, side: side}
	return j.shift([]float64{0, 0})
}

// report says how far the run is, inside being the part of the present λ.
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

// trace hands over a verdict.
func (p *path) trace(step int, v verdict) {
	if p.o.Trace == nil {
		return
	}
	d, gap := len(v.theta)-1, v.gap()
	p.o.Trace(Step{Iteration: step, W: slices.Clone(v.theta[:d]), B: v.theta[d], Objective: v.objective, Gap: &gap})
}

// result turns a verdict into a fit.
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

// simplest returns the verdict on the best constant score where that is as good
// as the fit's own point: within the duality gap that the fit proves of itself,
// and within the gap asked for; else v. Where the best weights are 0 a solver ends
// near them and not there: the rest is its rounding, yet it ranks rows and draws
// curves. So a fit takes 0 where its certificate cannot tell its weights from 0.
func (p *path) simplest(v verdict) verdict {
	d := len(v.theta) - 1
	none := verdict{theta: make([]float64, d+1), bound: v.bound}
	none.theta[d] = constant(p.judge.set.mass, p.judge.side)
	for c, mass := range p.judge.set.mass {
		none.objective += mass * p.judge.side[c].eval(none.theta[d])
	}
	own := math.Max(v.gap(), polish*p.o.Gap)
	if none.gap() > math.Max(p.o.Gap, own) || none.objective-v.objective > own*math.Max(v.objective, gapFloor) {
		return v
	}
	return none
}

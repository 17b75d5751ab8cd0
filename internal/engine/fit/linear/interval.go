package linear

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// IntervalOptions sets an interval fit; the zero value is the default.
type IntervalOptions struct {
	Start   *Linear        // where to start; nil = the best constant score
	Gap     float64        // relative duality gap to certify; 0 = 1e-6
	MaxIter int            // steps for each λ; 0 = 1,000 for Newton, 5,000 for the subgradient
	Solver  string         // "" or "newton": exact; "subgradient": the paper's, for teaching
	Trace   func(Step)     // called at the start and after each step (each 50 of the subgradient), with a certificate; nil = none
	Report  func(Progress) // called now and then from the calling goroutine; nil = silent
}

// Solvers of an interval fit.
const (
	SolverNewton      = "newton"
	SolverSubgradient = "subgradient"
)

const defaultGap = 1e-6

// Interval minimises (1/Σv) Σ v_i φ^{y_i}(y_i f_i) + (λ/2)‖w‖², the surrogate
// of paper 004 with a free intercept (math.md §6). y is ±1; nil weights are 1.
func Interval(ctx context.Context, x Matrix, y []float64, weights []float64, iv loss.Interval, l2 float64,
	o IntervalOptions) (*Linear, error) {
	fits, err := IntervalPath(ctx, x, y, weights, iv, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// IntervalPath fits every λ from the largest down, each from the one before.
// Result i belongs to l2s[i] whatever their order.
func IntervalPath(ctx context.Context, x Matrix, y, weights []float64, iv loss.Interval, l2s []float64,
	o IntervalOptions) ([]*Linear, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	if err := o.check(x, l2s); err != nil {
		return nil, err
	}
	t := newTeam(len(x.Data))
	defer t.close()
	side := newKinks(iv)
	p := &path{ctx: ctx, o: o, judge: newJudge(set, side, newRows(x, t)), theta: make([]float64, x.Cols+1),
		total: len(l2s)}
	p.start()
	fit := p.subgradient
	if o.Solver != SolverSubgradient {
		p.newton, p.reduction = prepare(ctx, set, side, p.judge.rows)
		p.watch()
		fit = p.exact
	}
	fits := make([]*Linear, len(l2s))
	for _, i := range descending(l2s) {
		p.judge.l2 = l2s[i]
		if fits[i], err = fit(); err != nil {
			return nil, err
		}
		p.done++
		p.report(0, 0, fits[i].Objective)
	}
	return fits, nil
}

// check wants a known solver, positive penalties and finite cells.
func (o *IntervalOptions) check(x Matrix, l2s []float64) error {
	switch o.Solver {
	case "", SolverNewton:
		o.MaxIter = cmp.Or(o.MaxIter, newtonSteps)
	case SolverSubgradient:
		o.MaxIter = cmp.Or(o.MaxIter, subgradientSteps)
	default:
		return usererr.BadField("solver", "must be %q or %q (got %q)", SolverNewton, SolverSubgradient, o.Solver)
	}
	o.Gap = cmp.Or(o.Gap, defaultGap)
	for _, l2 := range l2s {
		if err := checkL2(l2); err != nil {
			return err
		}
	}
	if o.Start != nil && len(o.Start.W) != x.Cols {
		panic("linear: shape mismatch")
	}
	return finite(x)
}

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

// descending returns the indices of the values from the largest down.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return order
}

package linear

import (
	"cmp"
	"context"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/pages"
	"taper/internal/engine/usererr"
)

// Interval minimises (1/Σv) Σ v_i φ^{y_i}(y_i f_i) + (λ/2)‖w‖², the surrogate of Kimes et al. (2016) with
// an unpenalised intercept (docs/math.md, Interval classification). y is ±1; nil weights mean 1.
func Interval(ctx context.Context, x Matrix, y []float64, weights []float64, iv loss.Interval, l2 float64,
	o IntervalOptions) (*Linear, error) {
	fits, err := IntervalPath(ctx, x, y, weights, iv, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// IntervalPath fits every λ in decreasing order, each starting from the previous fit. Result i belongs to
// l2s[i] for any order of l2s.
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
	side, all := newKinks(iv), newRows(x, t)
	if !o.sketches(x) { // which sees it on its way
		if err := all.finite(); err != nil {
			return nil, err
		}
	}
	p := &path{ctx: ctx, o: o, theta: make([]float64, x.Cols+1), total: len(l2s)}
	fit := p.subgradient
	if o.Solver == SolverSubgradient {
		p.judge = newJudge(set, side, all, pages.Make[float64](x.Rows), pages.Make[float64](x.Rows))
	} else {
		p.newton, p.reduction = prepare(ctx, set, side, all)
		p.judge = newJudge(set, side, all, p.newton.df, p.newton.vt)
		p.watch()
		fit = p.exact
	}
	p.start()
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

// check requires a known solver and positive penalties.
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
	return nil
}

// descending returns the indices of the values in decreasing order.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return order
}

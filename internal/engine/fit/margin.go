package fit

import (
	"context"
	"slices"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// margin is a linear model of any margin loss.
type margin struct {
	loss loss.Margin
	soft []loss.Margin // the way of a graduated start, from the convex end
	only []string      // kinds of starts; nil = all
	seed uint64

	trace func(linear.Step)
}

func (l margin) path(ctx context.Context, d signed, l2s []float64, step func(float64)) ([]*Fitted, error) {
	return walk(l2s, l.only, step, func(l2 float64, given []*linear.Linear, only []string) (*Fitted, error) {
		fit, starts, err := linear.Margin(ctx, d.X, d.Y, d.W, l.loss, l2, linear.MarginOptions{Path: l.soft, Given: given,
			Only: only, Seed: l.seed, Trace: l.trace})
		if err != nil {
			return nil, err
		}
		return &Fitted{Linear: fit, Starts: starts}, nil
	})
}

// student is t-logistic regression; λ is that of its prior (math.md §4).
type student struct {
	t      float64
	losses *linear.TLosses
	solver string
	only   []string // kinds of starts; nil = all
	seed   uint64
	trace  func(linear.Step)
}

func (l student) path(ctx context.Context, d signed, l2s []float64, step func(float64)) ([]*Fitted, error) {
	solver := l.solver
	if len(l2s) > 1 {
		solver = linear.SolverDirect // many times as fast to the same stationary points
	}
	return walk(l2s, l.only, step, func(l2 float64, given []*linear.Linear, only []string) (*Fitted, error) {
		fit, err := linear.TLogistic(ctx, d.X, d.Y, d.W, l.t, l2, linear.TOptions{Solver: solver, Losses: l.losses,
			Given: given, Only: only, Seed: l.seed, Trace: l.trace})
		if err != nil {
			return nil, err
		}
		return &Fitted{Linear: &fit.Linear, Starts: fit.Starts}, nil
	})
}

// walk fits a single λ from every start. Along a path of λ, which descend, each
// fit starts from the one before alone: where λ is large there is but one
// minimum, and it is followed down.
func walk(l2s []float64, starts []string, step func(float64), fit func(l2 float64, given []*linear.Linear,
	only []string) (*Fitted, error)) ([]*Fitted, error) {
	fits := make([]*Fitted, len(l2s))
	for i, l2 := range l2s {
		var given []*linear.Linear
		var only []string
		switch {
		case len(l2s) == 1:
			only = starts
		case i == 0:
			only = []string{"zero"}
		default:
			given, only = []*linear.Linear{fits[i-1].Linear}, []string{"given"}
		}
		var err error
		if fits[i], err = fit(l2, given, only); err != nil {
			return nil, err
		}
		step(float64(i+1) / float64(len(l2s)))
	}
	return fits, nil
}

// trees is AdaBoost.α, which has no λ to choose.
type trees struct{ options boost.Options }

func (l trees) path(ctx context.Context, d signed, l2s []float64, _ func(float64)) ([]*Fitted, error) {
	m, err := boost.Fit(ctx, d.X, d.Y, d.W, l.options)
	if err != nil {
		return nil, err
	}
	certificate := &linear.Linear{Objective: m.Objective, Iterations: len(m.Trees), Stopped: m.Stopped,
		Warnings: m.Warnings}
	return slices.Repeat([]*Fitted{{Linear: certificate, Trees: m}}, len(l2s)), nil
}

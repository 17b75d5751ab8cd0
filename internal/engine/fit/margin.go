package fit

import (
	"cmp"
	"context"
	"slices"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// margin fits a linear score under any margin loss.
type margin struct {
	loss loss.Margin
	soft func() []loss.Margin // losses from convex to the target, for a graduated start; nil = none
	seed uint64
}

func (l margin) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	return walk(l2s, o, func(l2 float64, given []*linear.Linear, only []string) (*Fitted, error) {
		how := linear.MarginOptions{Given: given, Only: only, Random: o.Starts.Random, Uniform: o.Starts.Uniform,
			Seed: cmp.Or(o.Starts.Seed, l.seed), GradTol: o.Gradient, Trace: o.Trace}
		if l.soft != nil && (only == nil || slices.Contains(only, "graduated")) { // a slow table
			how.Path = l.soft()
		}
		fit, starts, err := linear.Margin(ctx, d.X, d.Y, d.W, l.loss, l2, how)
		if err != nil {
			return nil, err
		}
		return &Fitted{Linear: fit, Starts: starts}, nil
	})
}

// student is t-logistic regression; its λ is the parameter of the prior (docs/math.md,
// t-logistic regression).
type student struct {
	t      float64
	losses *linear.TLosses
	solver string
	seed   uint64
}

func (l student) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	solver := l.solver
	if len(l2s) > 1 {
		solver = linear.SolverDirect // reaches the same stationary points many times as fast
	}
	return walk(l2s, o, func(l2 float64, given []*linear.Linear, only []string) (*Fitted, error) {
		fit, err := linear.TLogistic(ctx, d.X, d.Y, d.W, l.t, l2, linear.TOptions{Solver: solver, Losses: l.losses,
			Given: given, Only: only, Random: o.Starts.Random, Uniform: o.Starts.Uniform,
			Seed: cmp.Or(o.Starts.Seed, l.seed), GradTol: o.Gradient, Trace: o.Trace})
		if err != nil {
			return nil, err
		}
		return &Fitted{Linear: &fit.Linear, Starts: fit.Starts, Xi: fit.Xi}, nil
	})
}

// walk fits a single λ from every start. On a path of several λ, in descending order, only the
// first is fitted from new starts; every other continues from the fit before. At large λ there
// is one minimum, and the path follows it.
func walk(l2s []float64, o Options, fit func(l2 float64, given []*linear.Linear,
	only []string) (*Fitted, error)) ([]*Fitted, error) {
	only := o.Starts.Only
	switch {
	case only == nil && len(l2s) > 1:
		only = []string{"zero"}
	case only == nil && o.Quick:
		only = []string{"logistic"}
	}
	var given []*linear.Linear
	if g := o.Starts.Given; g != nil {
		given = []*linear.Linear{g.Fitted.Linear}
	}
	fits := make([]*Fitted, len(l2s))
	for i, l2 := range l2s {
		var err error
		if fits[i], err = fit(l2, given, only); err != nil {
			return nil, err
		}
		given, only = []*linear.Linear{fits[i].Linear}, []string{"given"}
		o.step(float64(i+1) / float64(len(l2s)))
	}
	return fits, nil
}

// trees fits AdaBoost.α, which has no λ.
type trees struct{ options boost.Options }

func (l trees) path(ctx context.Context, d signed, l2s []float64, _ Options) ([]*Fitted, error) {
	m, err := boost.Fit(ctx, d.X, d.Y, d.W, l.options)
	if err != nil {
		return nil, err
	}
	certificate := &linear.Linear{Objective: m.Objective, Iterations: len(m.Trees), Stopped: m.Stopped,
		Warnings: m.Warnings}
	return slices.Repeat([]*Fitted{{Linear: certificate, Trees: m}}, len(l2s)), nil
}

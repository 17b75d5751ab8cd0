package fit

import (
	"context"
	"slices"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// signed is the training data of a fit with a single score.
type signed struct {
	X linear.Matrix
	Y []float64 // ±1
	W []float64 // weights; nil = 1
}

// learner fits one kind of two-class score.
type learner interface {
	// path fits every λ; l2s are in descending order.
	path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error)
}

// Fitted is one fit with its certificate. Its score is linear, a sum of trees, or a kernel
// expansion.
type Fitted struct {
	*linear.Linear // for trees and kernels only the certificate is set
	Trees          *boost.Model
	Kernel         *Expansion
	Starts         []linear.StartReport
	Xi             []float64 // t-logistic only: influence of each row, scaled to a maximum of 1
}

// Score returns the score of a row of the design.
func (m *Fitted) Score(x []float64) float64 {
	switch {
	case m.Trees != nil:
		return m.Trees.Score(x)
	case m.Kernel != nil:
		return m.Kernel.Score(x)
	}
	return m.Linear.Score(x)
}

func (m *Fitted) flat() bool {
	counts := func(v float64) bool { return v != 0 }
	switch {
	case m.Trees != nil:
		return !slices.ContainsFunc(m.Trees.Trees, func(t boost.Tree) bool { return len(t.Nodes) > 1 })
	case m.Kernel != nil:
		return !slices.ContainsFunc(m.Kernel.Coefficients, counts)
	}
	return !slices.ContainsFunc(m.W, counts)
}

// linears wraps the fits of a linear solver.
func linears(fits []*linear.Linear, err error) ([]*Fitted, error) {
	if err != nil {
		return nil, err
	}
	all := make([]*Fitted, len(fits))
	for i, fit := range fits {
		all[i] = &Fitted{Linear: fit}
	}
	return all, nil
}

// interval is the piecewise-linear surrogate of Kimes et al. 2016 (docs/math.md, Interval
// classification).
type interval struct {
	iv     loss.Interval
	solver string // "" = the default
}

func (l interval) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	how := linear.IntervalOptions{Solver: l.solver, Gap: o.Gap, Keep: o.Keep, Trace: o.Trace,
		Report: func(p linear.Progress) { o.step(p.Fraction) }}
	if g := o.Starts.Given; g != nil && g.Fitted != nil {
		how.Start = g.Fitted.Linear
	}
	return linears(linear.IntervalPath(ctx, d.X, d.Y, d.W, l.iv, l2s, how))
}

// logistic is logistic regression.
type logistic struct{ seed uint64 }

func (l logistic) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	if o.Starts.Only != nil { // the Newton solver has a single start, the class proportions
		return margin{loss: linear.Ready(loss.Logistic{}), seed: l.seed}.path(ctx, d, l2s, o)
	}
	return linears(linear.LogisticPath(ctx, d.X, d.Y, d.W, l2s, linear.LogisticOptions{GradTol: o.Gradient,
		Trace: o.Trace, Report: func(p linear.Progress) { o.step(p.Fraction) }}))
}

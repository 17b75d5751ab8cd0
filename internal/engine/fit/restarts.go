package fit

import (
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// restartWidth is the half-width of the uniform distribution of random starts in Ding and
// Vishwanathan 2010 (Fig. 5).
const restartWidth = 0.5

// Restartable reports whether a linear fit of the method can have several local minima.
func (m Method) Restartable() bool {
	if m.Loss == nil || m.Spec.Kind != "linear" || m.Family.Polyhedral {
		return false
	}
	known, ok := m.Loss.(loss.Regimer)
	return m.Family.Prior || !ok || !known.Regime().Convex
}

// Restarts fits from n random starts at one λ and returns where each start ended.
func (m Method) Restarts(ctx context.Context, d Data, l2 float64, n int, seed uint64) ([]linear.StartReport, error) {
	if !m.Restartable() {
		return nil, usererr.New(usererr.Invalid, "%s has one minimum, whatever the starting point.", m.Title())
	}
	m.Spec.Solver = "" // the paper's multiplicative updates reach the same minima, far more slowly
	r, err := m.Trainer(Task{Classes: 2}, seed)
	if err != nil {
		return nil, err
	}
	fit, err := r.Fit(ctx, d, l2, Options{Starts: Starts{Only: []string{"random"}, Random: n, Uniform: restartWidth}})
	if err != nil {
		return nil, err
	}
	return fit.Fitted.Starts, nil
}

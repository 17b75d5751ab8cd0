package method

import (
	"context"

	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/train"
)

// restartWidth is the half-width of the law of random starts in paper 002
// (figure 5).
const restartWidth = 0.5

// Restartable reports whether a linear fit of the method may end in different
// minima.
func (m Method) Restartable() bool {
	if m.Loss == nil || m.Spec.Kind != "linear" || Polyhedral(m.Family.ID) {
		return false
	}
	known, ok := m.Loss.(loss.Regimer)
	return m.Family.ID == "t-logistic" || !ok || !known.Regime().Convex
}

// Restarts fits from n random starts at one λ and says where each led.
func (m Method) Restarts(ctx context.Context, d Data, l2 float64, n int, seed uint64) ([]train.StartReport, error) {
	if !m.Restartable() {
		return nil, errs.New(errs.Invalid, "%s has one minimum, wherever a fit starts.", m.Title())
	}
	only := []string{"random"}
	if m.Family.ID == "t-logistic" {
		fit, err := train.TLogistic(ctx, d.X, d.Y, d.W, m.Values.Number("t"), l2,
			train.TOptions{Only: only, Random: n, Uniform: restartWidth, Seed: seed})
		if err != nil {
			return nil, err
		}
		return fit.Starts, nil
	}
	_, starts, err := train.Margin(ctx, d.X, d.Y, d.W, train.Ready(m.Loss), l2, train.MarginOptions{Only: only, Random: n,
		Uniform: restartWidth, Seed: seed})
	return starts, err
}

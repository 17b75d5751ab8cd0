package paper

import (
	"context"
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/study"
)

// path fits a linear score of two classes at each λ of the mean, which descend:
// each fit starts from the one before.
type path func(ctx context.Context, r study.Rows, l2s []float64) ([]*linear.Linear, error)

// fitted names a path.
type fitted struct {
	name string
	path path
}

// looseGradient and looseGap end fits whose wrong answers are counted: what is
// left of the objective moves no row across zero.
const (
	looseGradient = 1e-5
	looseGap      = 1e-4
)

func logisticPath(ctx context.Context, r study.Rows, l2s []float64) ([]*linear.Linear, error) {
	return linear.LogisticPath(ctx, r.X, r.Signs(), nil, l2s, linear.LogisticOptions{GradTol: looseGradient})
}

// hingePath is the support vector machine. The surrogate of the boundary ½ is
// the hinge at another scale (math.md §6); its score has the same sign.
func hingePath(ctx context.Context, r study.Rows, l2s []float64) ([]*linear.Linear, error) {
	half, err := loss.NewInterval([]float64{0.5})
	if err != nil {
		return nil, err
	}
	own := make([]float64, len(l2s))
	for i, l2 := range l2s {
		own[i] = l2 / (4 * math.Ln2)
	}
	return linear.IntervalPath(ctx, r.X, r.Signs(), nil, half, own, linear.IntervalOptions{Gap: looseGap})
}

// marginPath follows the minimum of a margin loss from the largest λ, where
// there is but one.
func marginPath(l loss.Margin) path {
	return func(ctx context.Context, r study.Rows, l2s []float64) ([]*linear.Linear, error) {
		return follow(l2s, func(l2 float64, from []*linear.Linear, only []string) (*linear.Linear, error) {
			fit, _, err := linear.Margin(ctx, r.X, r.Signs(), nil, l, l2, linear.MarginOptions{Given: from, Only: only,
				GradTol: looseGradient})
			return fit, err
		})
	}
}

// studentPath is t-logistic regression; its λ belongs to a sum over rows
// (math.md §4).
func studentPath(t float64, losses *linear.TLosses) path {
	return func(ctx context.Context, r study.Rows, l2s []float64) ([]*linear.Linear, error) {
		return follow(l2s, func(l2 float64, from []*linear.Linear, only []string) (*linear.Linear, error) {
			fit, err := linear.TLogistic(ctx, r.X, r.Signs(), nil, t, l2*float64(len(r.Y)),
				linear.TOptions{Given: from, Only: only, Losses: losses, GradTol: looseGradient})
			if err != nil {
				return nil, err
			}
			return &fit.Linear, nil
		})
	}
}

// follow fits the largest λ from zero and every other from the one before.
func follow(l2s []float64, fit func(l2 float64, from []*linear.Linear,
	only []string) (*linear.Linear, error)) ([]*linear.Linear, error) {
	fits, only := make([]*linear.Linear, len(l2s)), []string{"zero"}
	var from []*linear.Linear
	for i, l2 := range l2s {
		var err error
		if fits[i], err = fit(l2, from, only); err != nil {
			return nil, err
		}
		from, only = fits[i:i+1], []string{"given"}
	}
	return fits, nil
}

// wrong is the share of rows that a score puts on the wrong side of zero.
func wrong(fit *linear.Linear, r study.Rows) float64 { return 1 - accuracy(r, fit) }

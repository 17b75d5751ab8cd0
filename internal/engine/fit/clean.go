package fit

import (
	"context"

	"taper/internal/engine/fit/linear"
)

// CleanMargins fits logistic regression to two-class data and returns the margin of each row.
// Label noise that depends on the margin is drawn from these margins.
func CleanMargins(ctx context.Context, d Data, l2 float64) ([]float64, error) {
	y := signs(d.Label)
	fit, err := linear.Logistic(ctx, d.X, y, d.Weights, l2, linear.LogisticOptions{})
	if err != nil {
		return nil, err
	}
	margin := make([]float64, len(y))
	for i, s := range y {
		margin[i] = s * fit.Score(d.X.Row(i))
	}
	return margin, nil
}

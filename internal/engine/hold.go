package engine

import (
	"context"

	"taper/internal/engine/resample"
)

// HoldOut is the split of a run over rows of the classes 0 … classes−1 that no
// group holds together: true where Validation of kind split holds a row out.
func HoldOut(ctx context.Context, class []int, classes int, share float64, seed uint64) ([]bool, error) {
	dealt, err := resample.Rows{Label: class, Classes: classes}.Deal(ctx, positions(len(class)),
		[]float64{1 - share, share}, resample.Folds(seed, 0, 0))
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(class))
	for i, part := range dealt {
		held[i] = part == 2
	}
	return held, nil
}

package engine

import (
	"context"

	"taper/internal/engine/task"
)

// HoldOut is the split of a run over rows of the classes 0 … classes−1 that no
// group holds together: true where Validation of kind split holds a row out.
func HoldOut(ctx context.Context, class []int, classes int, share float64, seed uint64) ([]bool, error) {
	c := &cohort{rows: positions(len(class)), label: class, target: task.Target{Levels: make([]string, classes)}}
	dealt, err := c.assign(ctx, c.rows, []float64{1 - share, share}, source(seed, forFolds, 0, 0))
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(class))
	for _, i := range (fold{of: dealt, number: 2}).test() {
		held[i] = true
	}
	return held, nil
}

package task

import (
	"slices"
	"testing"

	"taper/internal/engine/stat"
)

// TestLeast holds the answer of the least expected cost to what it is
// called in each task.
func TestLeast(t *testing.T) {
	zero := Cost{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}
	steps := Cost{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}
	chow := append(slices.Clone(zero), []float64{.3, .3, .3})
	for _, c := range []struct {
		name string
		cost Cost
		p    []float64
		want int
	}{
		{"the likeliest", zero, []float64{.4, .25, .35}, 0},
		{"the median", steps, []float64{.4, .25, .35}, 1},
		{"none below 1 − c", chow, []float64{.1, .65, .25}, stat.Abstained},
		{"one above", chow, []float64{.1, .75, .15}, 1},
		{"the first of equals", zero, []float64{.2, .4, .4}, 1},
	} {
		if got := c.cost.Least(c.p); got != c.want {
			t.Errorf("%s of %v: %d, want %d", c.name, c.p, got, c.want)
		}
	}
}

package crossfit

import (
	"testing"
)

// TestBest: among losses equal up to rounding, the largest λ is chosen, as in tune.Search.
func TestBest(t *testing.T) {
	low := 0.1372
	for _, c := range []struct {
		means []float64
		want  int
	}{
		{nil, -1},
		{[]float64{.3}, 0},
		{[]float64{.2, .1, .15}, 1},
		{[]float64{.2, low, low + 2e-17, .15}, 2},
		{[]float64{.2, low + 2e-17, low, .15}, 2},
		{[]float64{low, low + 1e-9}, 0},
	} {
		var points []TuningPoint
		for i, m := range c.means {
			points = append(points, TuningPoint{L2: float64(i + 1), Mean: m})
		}
		if got := Best(points); got != c.want {
			t.Errorf("%v: %d, want %d", c.means, got, c.want)
		}
	}
}

package stat

import (
	"math"
	"testing"
)

// TestBinAt: places outside the bins are in the nearest one, also beyond the largest int.
func TestBinAt(t *testing.T) {
	for place, want := range map[float64]int{-1e300: 0, -1: 0, 0: 0, .99: 0, 1: 1, 18.5: 18, 19: 19, 19.5: 19, 20: 19, 1e18: 19,
		1e19: 19, 1e300: 19, math.Inf(1): 19, math.Inf(-1): 0} {
		if got := BinAt(place, 20); got != want {
			t.Errorf("%v: bin %d, want %d", place, got, want)
		}
	}
}

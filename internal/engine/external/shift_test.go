package external

import (
	"math"
	"testing"

	"taper/internal/engine/stat"
)

// TestSample: for very many values the kept ones have nearly the same quartiles as all, for
// sorted, mixed and reversed order.
func TestSample(t *testing.T) {
	const n = 3*mostValues + 17
	for _, step := range []int{1, 7919, n - 1} { // sorted, mixed, reversed
		var s sample
		for i := range n {
			s.add(float64(i * step % n))
		}
		q1, median, q3 := stat.Quartiles(s.kept)
		for k, q := range []float64{q1, median, q3} {
			if want := float64(n) * float64(k+1) / 4; !(math.Abs(q-want) <= n/500) {
				t.Errorf("step %d: quartile %d is %v, want %v", step, k+1, q, want)
			}
		}
		if len(s.kept) > mostValues || s.seen != n {
			t.Errorf("%d kept of %d", len(s.kept), s.seen)
		}
	}
}

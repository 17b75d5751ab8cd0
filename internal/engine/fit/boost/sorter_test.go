package boost

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The radix sort agrees with a stable sort by comparison: for few values, many, both zeros, and
// the largest and smallest numbers.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	pools := [][]float64{nil, {3}, {-1, 1}, {0, math.Copysign(0, -1)}, {-2, 0, math.Copysign(0, -1), 5e-324, -5e-324},
		{-math.MaxFloat64, math.MaxFloat64, 1, math.Nextafter(1, 2), -1}}
	var s sorter
	for _, pool := range pools {
		values := make([]float64, 400)
		s.cells = s.cells[:0]
		for i := range values {
			values[i] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
			if pool != nil {
				values[i] = pool[r.IntN(len(pool))]
			}
			s.cells = append(s.cells, cell{ordered(values[i]), int32(i)})
		}
		want := make([]int32, len(values))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
		s.sort()
		for k, c := range s.cells {
			if c.row != want[k] {
				t.Fatalf("pool %v, place %d: row %d, want %d", pool, k, c.row, want[k])
			}
			if k > 0 && (c.key == s.cells[k-1].key) != (values[c.row] == values[s.cells[k-1].row]) {
				t.Fatalf("pool %v, place %d: keys and values disagree on equality", pool, k)
			}
		}
	}
}

package pages

import (
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// TestMake writes to slices of all sizes around those that are treated differently.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, least/8 - 1, least / 8, least/8 + 1, 3*least/8 + 5} {
		check(t, Make[float64](n), n)
		check(t, Make[uint64](n), n)
		check(t, Make[int32](2*n), 2*n)
		check(t, Make[uint8](8*n), 8*n)
	}
}

func check[T Number](t *testing.T, x []T, n int) {
	t.Helper()
	if len(x) != n {
		t.Fatalf("%d numbers, want %d", len(x), n)
	}
	for i, v := range x {
		if v != 0 {
			t.Fatalf("number %d of %d is %v before it is written", i, n, v)
		}
		x[i] = 1
	}
}

// TestReady finds the numbers of a slice, and those beside a part of it, as they were.
func TestReady(t *testing.T) {
	x := make([]float64, 5000)
	for i := range x {
		x[i] = float64(i)
	}
	want := slices.Clone(x)
	for _, part := range [][]float64{nil, x[:0], x[3:4], x[1:1200], x[700:], x} {
		if Ready(part); !slices.Equal(x, want) {
			t.Fatalf("%d numbers of %d changed the slice", len(part), len(x))
		}
	}
}

// BenchmarkWrite writes to 64 MB for the first time, in pages of either size by turns.
func BenchmarkWrite(b *testing.B) {
	const n = 8 << 20
	var took [2]time.Duration
	for b.Loop() {
		for k, all := range []func(int) []float64{func(n int) []float64 { return make([]float64, n) }, Make[float64]} {
			debug.FreeOSMemory() // else the memory of the round before is used again
			start := time.Now()
			x := all(n)
			for i := range x {
				x[i] = 1
			}
			took[k] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "large/small")
}

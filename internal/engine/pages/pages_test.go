package pages

import (
	"slices"
	"testing"
)

// TestMake writes to slices of all sizes around those that are treated differently.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, least/8 - 1, least / 8, least/8 + 1, 3*least/8 + 5} {
		check(t, Make[float64](n), n)
		check(t, Make[uint64](n), n)
		check(t, Make[int32](2*n), 2*n)
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

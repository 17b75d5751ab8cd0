package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for name, draw := range map[string]func() float64{
		"normal":      r.NormFloat64,
		"all bits":    func() float64 { return math.Float64frombits(r.Uint64() &^ (1 << 62)) },
		"large":       func() float64 { return r.NormFloat64() * 1e308 / 8 },
		"ties":        func() float64 { return float64(r.IntN(5) - 2) },
		"constant":    func() float64 { return -3.5 },
		"infinities":  func() float64 { return math.Inf(r.IntN(2)*2 - 1) },
		"signed zero": func() float64 { return math.Copysign(0, r.NormFloat64()) },
	} {
		x := make([]float64, radixFrom+r.IntN(1000))
		for i := range x {
			x[i] = draw()
		}
		want := slices.Clone(x)
		slices.Sort(want)
		ranked := newRanks(slices.Clone(x))
		for _, i := range []int{0, 1, len(x) / 4, len(x) / 2, len(x)/2 + 1, len(x) - 1, r.IntN(len(x))} {
			if got := ranked.at(i); got != want[i] {
				t.Errorf("%s: value %d in order is %v, want %v", name, i, got, want[i])
			}
		}
		low, middle, high := Quartiles(x)
		if all := []float64{quantile(want, .25), quantile(want, .5), quantile(want, .75)}; !slices.EqualFunc(all,
			[]float64{low, middle, high}, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%s: quartiles %v, %v, %v, want %v", name, low, middle, high, all)
		}
		sortFloats(x)
		if !slices.Equal(x, want) {
			t.Errorf("%s: not in order", name)
		}
	}
}

// BenchmarkQuartiles compares the quartiles of many values with sorting them.
func BenchmarkQuartiles(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 1_000_000)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	b.Run("sorted", func(b *testing.B) {
		for b.Loop() {
			sortFloats(slices.Clone(x))
		}
	})
	b.Run("ranks", func(b *testing.B) {
		for b.Loop() {
			Quartiles(x)
		}
	})
}

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
		sortFloats(x)
		if !slices.Equal(x, want) {
			t.Errorf("%s: not in order", name)
		}
	}
}

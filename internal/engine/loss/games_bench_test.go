package loss

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkGames(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []Family{advZeroOne, advOrdinal, advSquared, advAbstain, advCost} {
		for _, k := range []int{3, 30, 1000} {
			v := f.Defaults()
			if f.ID == "al-cost" {
				if k > 30 {
					continue
				}
				m := make([][]float64, k)
				for i := range m {
					m[i] = make([]float64, k)
					for j := range m[i] {
						m[i][j] = square(i-j) + r.Float64()
					}
				}
				v["matrix"] = Value{Matrix: m}
			}
			l, dst, u := f.New(v, k), make([]float64, k), make([]float64, k)
			for j := range u {
				u[j] = r.NormFloat64()
			}
			b.Run(fmt.Sprintf("%s/k=%d", f.ID, k), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					l.Grad(dst, 1, u)
				}
			})
		}
	}
}

package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine"
)

// BenchmarkNew compares six runs on the same rows.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		rng := rand.New(rand.NewPCG(1, 2))
		var runs []Run
		truth := make([]float64, n)
		for i := range truth {
			truth[i] = rng.NormFloat64()
		}
		for k := range Most {
			r := made(fmt.Sprint(k), 0, "")
			for i, f := range truth {
				f += .5 * rng.NormFloat64()
				p := 1 / (1 + math.Exp(-f))
				outcome := "n"
				if truth[i] > .3*rng.NormFloat64() {
					outcome = "y"
				}
				band := 0
				for _, x := range r.Result.Boundaries {
					if x < p {
						band++
					}
				}
				r.Rows = append(r.Rows, engine.RowScore{Row: i, Outcome: outcome, Split: "1", Score: f, Probability: &p, Stratum: band, Weight: &p})
			}
			for i := range r.Rows { // the outcomes are the same in all runs
				if k > 0 {
					r.Rows[i].Outcome = runs[0].Rows[i].Outcome
				}
			}
			runs = append(runs, r)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := New(b.Context(), runs, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ℓ_π is net benefit in other units: (2/K) Σ (1−π_k)·(event rate − NB(π_k)),
// where the event rate is the net benefit of calling the events and nobody
// else (docs/math.md, Interval classification). The two sides come from different code: costs of bands
// here, counts of rows above a threshold there.
func TestIntervalLossIsNetBenefit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, c := range []struct {
		name string
		pi   []float64
		rate float64
	}{
		{"one boundary at a half", []float64{.5}, .5},
		{"one low boundary, rare events", []float64{.1}, .05},
		{"quarters", []float64{.25, .5, .75}, .3},
		{"uneven boundaries, common events", []float64{.03, .4, .45, .97}, .8},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 400
			p, band, event := make([]float64, n), make([]int, n), make([]bool, n)
			rate := 0.0
			for i := range p {
				event[i] = rng.Float64() < c.rate
				p[i] = rng.Float64()
				if i%50 == 0 {
					p[i] = c.pi[i/50%len(c.pi)] // on a boundary: in the band below it, not called
				}
				for _, b := range c.pi {
					if p[i] > b {
						band[i]++
					}
				}
				if event[i] {
					rate += 1. / n
				}
			}
			lost := 0.0
			for k, b := range DecisionCurve(p, event, c.pi) {
				lost += 2 / float64(len(c.pi)) * (1 - c.pi[k]) * (rate - *b.Model.Value)
			}
			if got := IntervalLoss(c.pi, band, event); !(math.Abs(got-lost) <= 1e-12) {
				t.Errorf("ℓ_π = %v, from the decision curve %v", got, lost)
			}
		})
	}
}

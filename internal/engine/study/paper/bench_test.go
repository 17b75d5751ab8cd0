package paper

import (
	"testing"

	"taper/internal/engine/study"
)

// BenchmarkSummarise sums up the full Figure 5: 560 units of 70 numbers.
func BenchmarkSummarise(b *testing.B) {
	p, _ := Presets.ByID("sypherd-fig5")
	plan, err := p.Build(study.Input{Size: study.Full, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	done := study.Values{}
	for i, u := range plan.Units {
		for k := range u.Keys {
			done[u.ID] = append(done[u.ID], float64((i*31+k*17)%101)/101)
		}
	}
	for b.Loop() {
		study.Summarise(plan, done)
	}
}

// BenchmarkUnit is one unit of Figure 5: 400 stumps, and 5,000 rows after each.
func BenchmarkUnit(b *testing.B) {
	u := roundsUnit(1, 0.1, 2, 0, stages(fig5Rounds))
	for b.Loop() {
		if _, err := u.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

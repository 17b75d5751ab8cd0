package loss

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The corners against the linear program, on costs of every kind: drawn, of few
// values (so that many games are degenerate), all the same, nearly the same.
func TestCostCorners(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	for trial := range 400 {
		l, k := 1+r.IntN(6), 1+r.IntN(5)
		m := make([][]float64, l)
		for i := range m {
			m[i] = make([]float64, k)
			for j := range m[i] {
				switch trial % 4 {
				case 0:
					m[i][j] = r.NormFloat64()
				case 1:
					m[i][j] = float64(r.IntN(3))
				case 2:
					m[i][j] = math.Abs(float64(i - j))
				case 3:
					m[i][j] = float64(i) + 1e-9*r.Float64()
				}
			}
		}
		listed := newCost(m)
		program := listed
		program.listed = nil
		for range 20 {
			g, q := make([]float64, k), make([]float64, k)
			for j := range g {
				g[j] = -2 * r.Float64()
			}
			got, want := listed.play(q, g), program.play(nil, g)
			if !(math.Abs(got-want) <= 1e-10) {
				t.Fatalf("%v at %v: corners %v, linear program %v", m, g, got, want)
			}
			if w := listed.worth(q, g); !(math.Abs(w-got) <= 1e-14) {
				t.Fatalf("%v at %v: the mixture %v secures %v, told %v", m, g, q, w, got)
			}
		}
	}
}

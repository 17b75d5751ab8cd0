package synth

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"taper/internal/engine/table"
)

// steps is a simulation of Kimes et al. 2016, section 6: P(Y = +1 | x₁) is a step function on
// [−half, half], whose levels are the midpoints of intervals of equal probability (docs/math.md,
// Datasets and noise; docs/errata.md).
type steps struct {
	half float64
	cuts []float64 // x₁ between neighbouring steps, ascending
}

var settings = map[string]steps{
	"1.1": {8, []float64{0}},
	"1.2": {8, []float64{-8. / 3, 8. / 3}},
	"1.3": {8, []float64{-4, 0, 4}},
	"2.1": {4, []float64{-.6, .6}},
	"2.2": {4, []float64{-2, 0}},
	"2.3": {4, []float64{-.8, 0, .8}},
}

// level is the probability on step j: (2j+1)/(2(K+1)).
func (s steps) level(j int) float64 { return float64(2*j+1) / float64(2*(len(s.cuts)+1)) }

// KimesProbability returns P(Y = +1) at x₁, before the rotation, for a setting such as "1.1";
// NaN for an unknown setting.
func KimesProbability(setting string, x1 float64) float64 {
	s, ok := settings[setting]
	if !ok {
		return math.NaN()
	}
	j := 0
	for j < len(s.cuts) && x1 >= s.cuts[j] {
		j++
	}
	return s.level(j)
}

// KimesCuts returns the values of x₁ at which the probability of a setting jumps, ascending.
func KimesCuts(setting string) []float64 { return slices.Clone(settings[setting].cuts) }

// KimesRow draws a row of a setting before the rotation. It fills x, of which only the first
// coordinate affects the probability, and returns whether the row is an event.
func KimesRow(setting string, x []float64, rng *rand.Rand) (event bool) {
	x[0] = settings[setting].half * (2*rng.Float64() - 1)
	for j := 1; j < len(x); j++ {
		x[j] = 2*rng.Float64() - 1
	}
	return rng.Float64() < KimesProbability(setting, x[0])
}

// KimesBayesLoss returns the Bayes risk of the setting under the interval loss ℓ_π: on each
// step the best interval is predicted (docs/math.md, Interval classification).
func KimesBayesLoss(setting string, pi []float64) float64 {
	s, total := settings[setting], 0.0
	left := -s.half
	for j := range len(s.cuts) + 1 {
		right := s.half
		if j < len(s.cuts) {
			right = s.cuts[j]
		}
		total += (right - left) / (2 * s.half) * cheapest(s.level(j), pi)
		left = right
	}
	return total
}

// cheapest is min over intervals j of p·ℓ₊(j) + (1−p)·ℓ₋(j).
func cheapest(p float64, pi []float64) float64 {
	best := math.Inf(1)
	for j := range len(pi) + 1 {
		loss := 0.0
		for k, b := range pi {
			if k >= j {
				loss += p * (1 - b)
			} else {
				loss += (1 - p) * b
			}
		}
		best = min(best, 2*loss/float64(len(pi)))
	}
	return best
}

func kimes(setting string) Generator {
	return Generator{
		ID: "kimes-" + setting, Title: "Kimes et al., setting " + setting, Source: "Kimes et al. 2016, section 6", Rows: 300,
		Params: []Param{{Name: "p", Title: "dimensions", Min: 1, Max: 1000, Default: 10, Integer: true}},
		make: func(d draw) (*table.Table, Meta) {
			return kimesTable(setting, d)
		},
	}
}

func kimesTable(setting string, d draw) (*table.Table, Meta) {
	p := int(d.params["p"])
	rotation := orthogonal(p, d.rng)
	cols, event := features(p, d.rows), make([]bool, d.rows)
	x := make([]float64, p)
	for i := range d.rows {
		event[i] = KimesRow(setting, x, d.rng)
		for j, c := range cols {
			for k, v := range x {
				c.Num[i] += rotation.At(j, k) * v
			}
		}
	}
	return binary(cols, event)
}

// orthogonal draws a uniformly distributed orthogonal matrix: the Q of a Gaussian matrix with
// the signs of R's diagonal (Mezzadri 2007).
func orthogonal(p int, rng *rand.Rand) *mat.Dense {
	g := mat.NewDense(p, p, nil)
	for i := range p {
		for j := range p {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	for j := range p {
		if r.At(j, j) < 0 {
			for i := range p {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return &q
}

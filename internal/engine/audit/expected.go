package audit

import (
	"math/rand/v2"
	"slices"
)

// Expected is the estimate of the confident joint on labels none of which is
// wrong: what overlap of the classes alone makes of it.
type Expected struct {
	Mean  float64   `json:"mean"` // rows
	Low   float64   `json:"low"`  // 95 % of the draws lie between Low and High
	High  float64   `json:"high"`
	Draws int       `json:"draws"`
	Rates []float64 `json:"rates"` // chance that a row of each class is recorded as another one; null: none is seen
}

// expectedWrong draws labels from the model's own probabilities once these are
// mended (cleanProb), of each row y ~ Categorical(q), and estimates as if they
// had been recorded. Such labels hold no error, yet where classes overlap some
// of them are rarer than the mean of their class and count as wrong all the same.
// Probabilities as they are would not do: those of a model that learned wrong
// labels too expect them, and those of a strong penalty are too timid.
func expectedWrong(prob []float64, given []int, k int, rows []int, seed uint64) *Expected {
	rng := rand.New(rand.NewPCG(seed, 0x6e756c6c))
	q, rho := cleanProb(prob, given, k)
	label, draws := make([]int, len(rows)), make([]float64, jointDraws)
	for b := range draws {
		for i := range label {
			label[i] = drawClass(rng, q[i*k:i*k+k])
		}
		draws[b] = offDiagonal(confidentJoint(prob, label, k, rows))
	}
	e := &Expected{Draws: jointDraws, Rates: rho}
	for _, d := range draws {
		e.Mean += d / jointDraws
	}
	slices.Sort(draws)
	e.Low, e.High = quantile(draws, 0.025), quantile(draws, 0.975)
	return e
}

// drawClass draws a class; p need not add up to one.
func drawClass(rng *rand.Rand, p []float64) int {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	u := sum * rng.Float64()
	for j, v := range p[:len(p)-1] {
		if u < v {
			return j
		}
		u -= v
	}
	return len(p) - 1
}

// Against places the estimate beside what is expected of labels without an
// error: 1 above its range, −1 below, 0 within or where nothing is expected.
func (e *Estimate) Against() int {
	switch x := e.Expected; {
	case x == nil:
	case e.Wrong > x.High:
		return 1
	case e.Wrong < x.Low:
		return -1
	}
	return 0
}

package audit

import (
	"math/rand/v2"

	"taper/internal/engine/stat"
)

// Expected is the confident joint's estimate for labels without errors: the effect of overlapping classes
// alone.
type Expected struct {
	Mean  float64 `json:"mean"` // number of rows
	Low   float64 `json:"low"`  // Low and High contain 95 % of the draws
	High  float64 `json:"high"`
	Draws int     `json:"draws"`
	// estimated probability that a row of each class is recorded as another one; null if none is detected
	Rates []float64 `json:"rates"`
}

// expectedWrong draws labels without errors, y ~ Categorical(q) for each row, from the corrected
// probabilities q (cleanProb), and estimates from them as if they had been recorded. Where classes
// overlap some of these labels are counted as wrong although none is. The model's own probabilities are
// not suitable: a model trained on wrong labels expects them, and a strong penalty makes probabilities
// not extreme enough.
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
	e.Low, e.High = stat.Percentiles(draws)
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

// Against compares the estimate with the expectation for labels without errors: 1 above its range, −1
// below, 0 within, or if there is no expectation.
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

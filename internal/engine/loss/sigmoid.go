package loss

import "math"

// softplus is log(1 + e^z).
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// logSigmoid is log σ(z).
func logSigmoid(z float64) float64 { return -softplus(-z) }

// sigmoid is 1/(1 + e^−z), exact to the last digits in both tails.
func sigmoid(z float64) float64 {
	e := math.Exp(-math.Abs(z))
	if z < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

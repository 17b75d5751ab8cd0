// Package odds has the formulas between probabilities and log odds, each with its one
// guard against overflow, log 0 and certainty.
package odds

import "math"

// Softplus is log(1 + eᶻ) without overflow (docs/math.md, Conventions).
func Softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// LogSigmoid is log σ(z).
func LogSigmoid(z float64) float64 { return -Softplus(-z) }

// Sigmoid is 1/(1 + e⁻ᶻ), exact to the last digits in both tails.
func Sigmoid(z float64) float64 {
	e := math.Exp(-math.Abs(z))
	if z < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Logit is log(p/(1−p)), ±∞ at certainty.
func Logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// Least is the smallest probability whose logarithm is taken: the least normal double,
// since math.Log on amd64 is wrong for subnormals (go1.26).
const Least = 0x1p-1022

// NegLog is −log p, finite for a p that was rounded to 0.
func NegLog(p float64) float64 { return -math.Log(max(p, Least)) }

// Within takes a probability that was rounded to 0 or 1 as the nearest normal
// double inside: no model means certainty, and log 0 would say only that
// doubles end.
func Within(p float64) float64 { return min(max(p, Least), 1-0x1p-53) }

// Package tempered holds the deformed logarithm and exponential, and the log-partition function that
// normalises with them (docs/math.md, sections 1 and 2).
//
// Everything is written with log1p and expm1 of (1−t)·something: one form for every temperature, without
// cancellation near t = 1. Probabilities are passed as logarithms, and the log-partition as its gap above
// the largest activation, because computing either and subtracting again would cancel. t ≥ 0 throughout;
// −Inf is the logarithm of probability 0.
package tempered

import "math"

// Log returns log_t(x) = (x^(1−t) − 1)/(1−t), log x at t = 1, for x ≥ 0.
func Log(t, x float64) float64 { return -NegLog(t, math.Log(x)) }

// NegLog returns −log_t(p) from l = log p. For t < 1 it is at most 1/(1−t).
func NegLog(t, l float64) float64 {
	if t == 1 {
		return -l
	}
	return -math.Expm1((1-t)*l) / (1 - t)
}

// Exp returns exp_t(x) = [1 + (1−t)x]_+^(1/(1−t)), e^x at t = 1.
func Exp(t, x float64) float64 { return math.Exp(LogExp(t, x)) }

// LogExp returns log exp_t(x): −Inf at and below −1/(1−t) for t < 1, +Inf at
// and above 1/(t−1) for t > 1.
func LogExp(t, x float64) float64 {
	if t == 1 {
		return x
	}
	u := (1 - t) * x
	switch {
	case u > -1:
		return math.Log1p(u) / (1 - t)
	case t < 1:
		return math.Inf(-1)
	}
	return math.Inf(1)
}

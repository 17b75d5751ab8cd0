package loss

import "math"

// Regime describes a margin loss as an optimisation problem.
type Regime struct {
	Convex      bool
	QuasiConvex bool      // all local minima are global; true for any monotone loss
	Bound       float64   // supremum of the loss, +Inf if unbounded
	GivesUp     float64   // the gradient redescends below this margin; −Inf if it never does
	Kinks       []float64 // margins at which the loss or its slope is discontinuous, ascending
	Warnings    []string  // what makes the loss hard to minimise
}

// Regimer is a loss that knows its regime.
type Regimer interface{ Regime() Regime }

var (
	inf    = math.Inf(1)
	convex = Regime{Convex: true, QuasiConvex: true, Bound: inf, GivesUp: -inf}
)

// kinked is a convex regime with kinks.
func kinked(at ...float64) Regime {
	r := convex
	r.Kinks = at
	return r
}

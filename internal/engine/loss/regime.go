package loss

import "math"

// Regime says what kind of function a margin loss is.
type Regime struct {
	Convex      bool
	QuasiConvex bool      // no local minimum but the global ones: monotone suffices
	Bound       float64   // supremum of the loss, +Inf when there is none
	GivesUp     float64   // below this margin the slope grows flatter; −Inf: it never does
	Kinks       []float64 // margins where the loss or its slope jumps, ascending
	Warnings    []string  // what an optimiser will trip over
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

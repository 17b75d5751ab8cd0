package loss

import (
	"math"

	"taper/internal/engine/tempered"
)

// BlockFunc fills values and slopes for the margins z of rows of the classes
// s = ±1. It allocates nothing, keeps nothing, and may run in several
// goroutines at once; a margin's result does not depend on its neighbours.
// Losses that do not differ between the classes ignore s, which may be nil.
type BlockFunc func(values, slopes, s, z []float64)

// Block returns the block form of a loss: its own, or one that calls it margin
// by margin. Own forms may prepare a table: ask once for a fit, not once for a
// block. They agree with the scalar forms to 1e-13 relative; next to the end of a
// compact support, as far as the margin determines the result.
func Block(l Margin) BlockFunc {
	if b, ok := l.(Blocker); ok {
		return b.Block()
	}
	return func(values, slopes, s, z []float64) {
		class := 1.0
		for i, u := range z {
			if s != nil {
				class = s[i]
			}
			values[i], slopes[i] = l.Value(class, u), l.Slope(class, u)
		}
	}
}

// Block shares one exponential and one logarithm between value and slope.
func (Logistic) Block() BlockFunc {
	return func(values, slopes, _, z []float64) {
		values, slopes = values[:len(z)], slopes[:len(z)]
		for i, u := range z {
			e := tempered.QuickExp(-math.Abs(u))
			small := 1 / (1 + e) // σ(|z|)
			values[i] = max(-u, 0) + tempered.QuickLog1p(e)
			if u > 0 {
				small *= e
			}
			slopes[i] = -small
		}
	}
}

// Block of the α-loss: log σ and one power of it. Margins so negative that the
// weight overflows or vanishes go through the scalar form.
func (l Alpha) Block() BlockFunc {
	if l.e == 0 {
		return Logistic{}.Block()
	}
	inverse := 1 / l.e
	return func(values, slopes, s, z []float64) {
		values, slopes = values[:len(z)], slopes[:len(z)]
		for i, u := range z {
			e := tempered.QuickExp(-math.Abs(u))
			ls := -(max(-u, 0) + tempered.QuickLog1p(e))
			other := 1 / (1 + e) // σ(−z)
			if u > 0 {
				other *= e
			}
			p, m := tempered.QuickExpm1(l.e * ls)
			values[i], slopes[i] = -m*inverse, -p*other
		}
	}
}

// Block of the intervals finds the active segment once for value and slope.
func (iv Interval) Block() BlockFunc {
	up, down := make([]float64, len(iv.Pi)), make([]float64, len(iv.Pi))
	for k := range iv.Pi {
		up[k], down[k] = iv.slope(1, k), iv.slope(-1, k)
	}
	return func(values, slopes, s, z []float64) {
		for i, u := range z {
			v, g, b := 0.0, 0.0, down
			if s == nil || s[i] > 0 {
				b = up
			}
			for k, a := range iv.A {
				if w := a - b[k]*u; w > v || w == v && b[k] < -g {
					v, g = w, -b[k]
				}
			}
			values[i], slopes[i] = v, g
		}
	}
}

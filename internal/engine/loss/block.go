package loss

import "taper/internal/engine/vector"

// BlockFunc fills values and slopes for the margins z of rows with the classes s = ±1. It does not
// allocate or retain anything and may be called concurrently. The result for a margin does not depend on
// the other margins. Losses that are equal for both classes ignore s, which may then be nil.
type BlockFunc func(values, slopes, s, z []float64)

// Block returns the block form of a loss: its own, or one that calls it for every margin. A loss may
// build a table for its own form, so call Block once per fit, not once per block. Block forms agree with
// the scalar forms to 1e-13 relative; close to the end of a compact support, as well as the rounded
// margin determines the result.
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

func (Logistic) Block() BlockFunc {
	return func(values, slopes, _, z []float64) { vector.Softplus(values, slopes, z) }
}

// Block of the α-loss computes log σ and one power of it.
func (l Alpha) Block() BlockFunc {
	if l.e == 0 {
		return Logistic{}.Block()
	}
	return func(values, slopes, _, z []float64) {
		vector.Softplus(values, slopes, z)
		vector.Temper(values[:len(z)], slopes, l.e)
	}
}

// Block of the interval loss finds the segment of a margin once for value and slope.
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

package linear

import (
	"taper/internal/engine/loss"
	"taper/internal/engine/vector"
)

// kinks is the surrogate of one class as a function of the score f: convex and piecewise linear, with K
// kinks and K+1 slopes (docs/math.md, Interval classification).
type kinks struct {
	at    []float64 // score at each kink, ascending
	value []float64 // surrogate at each kink
	slope []float64 // K+1 slopes: slope[k] before kink k, slope[k+1] after it
}

// newKinks returns the surrogates of the classes −1 and +1.
func newKinks(iv loss.Interval) [2]kinks {
	n := len(iv.Pi)
	neg := kinks{at: iv.Hinge[:n], slope: append([]float64{0}, iv.Pi...)}
	pos := kinks{at: iv.Hinge[1:], slope: make([]float64, n+1)}
	for k, p := range iv.Pi {
		pos.slope[k] = p - 1
	}
	for _, k := range []*kinks{&neg, &pos} {
		k.value = make([]float64, n)
	}
	for k := 1; k < n; k++ { // from the end where the surrogate is 0
		neg.value[k] = neg.value[k-1] + neg.slope[k]*(neg.at[k]-neg.at[k-1])
	}
	for k := n - 2; k >= 0; k-- {
		pos.value[k] = pos.value[k+1] - pos.slope[k+1]*(pos.at[k+1]-pos.at[k])
	}
	return [2]kinks{neg, pos}
}

// smooth makes the ramps of a side the slope of the surrogate's Moreau envelope of width ε. It replaces each kink h by
// a parabola over [h+ε·slope before, h+ε·slope after] and keeps the slopes in between.
func (k *kinks) smooth(r *vector.Ramps, side int, eps float64) {
	for j, h := range k.at {
		r.Set(j, side, h+eps*k.slope[j], k.slope[j], k.slope[j+1])
	}
}

// eval returns the unsmoothed surrogate at f.
func (k *kinks) eval(f float64) float64 {
	j := 0
	for j+1 < len(k.at) && f >= k.at[j+1] {
		j++
	}
	d, slope := f-k.at[j], k.slope[j]
	if d > 0 {
		slope = k.slope[j+1]
	}
	return k.value[j] + slope*d
}

// hulls are the surrogates of both classes for many rows at once, and their conjugates max_f t·f − φ(f) for a t
// between the smallest and the largest slope, whose negatives are the E of the dual problem.
type hulls struct{ values, conjugates *vector.Hulls }

func newHulls(side [2]kinks) hulls {
	n := len(side[0].at)
	h := hulls{vector.NewHulls(n + 1), vector.NewHulls(n)}
	for c, k := range side {
		h.values.Set(0, c, k.slope[0], k.value[0]-k.slope[0]*k.at[0])
		for j, at := range k.at {
			h.values.Set(j+1, c, k.slope[j+1], k.value[j]-k.slope[j+1]*at)
			h.conjugates.Set(j, c, at, -k.value[j])
		}
	}
	return h
}

// slopeAt returns the right derivative of the unsmoothed surrogate at f.
func (k *kinks) slopeAt(f float64) float64 {
	j := 0
	for j < len(k.at) && f >= k.at[j] {
		j++
	}
	return k.slope[j]
}

// clamp returns t moved into the range of slopes.
func (k *kinks) clamp(t float64) float64 {
	return min(max(t, k.slope[0]), k.slope[len(k.slope)-1])
}

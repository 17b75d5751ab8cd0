package train

import (
	"math"

	"taper/internal/engine/loss"
)

// kinks is the surrogate of one class as a function of the score f: convex,
// piecewise linear, with K kinks and K+1 slopes (math.md §6). Its Moreau
// envelope of width ε bends each kink h over [h+ε·slope before, h+ε·slope
// after] and leaves the slopes between them as they are.
type kinks struct {
	at    []float64 // kink, ascending
	value []float64 // surrogate at the kink
	slope []float64 // K+1: slope[k] before kink k, slope[k+1] after it

	// The envelope for the current width. State 2k is the piece with slope[k],
	// state 2k+1 the bend at kink k; piece s reaches from edge[s] to edge[s+1]
	// and has the derivative base[s] + rate[s]·(u−from[s]).
	edge, base, rate, from []float64
}

// newKinks returns the surrogates of the classes −1 and +1.
func newKinks(iv loss.Interval) [2]kinks {
	n := len(iv.Pi)
	neg := kinks{at: iv.Hinge[:n], slope: append([]float64{0}, iv.Pi...)}
	pos := kinks{at: iv.Hinge[1:], slope: make([]float64, n+1)}
	for k, p := range iv.Pi {
		pos.slope[k] = p - 1
	}
	out := [2]kinks{neg, pos}
	for c := range out {
		k := &out[c]
		k.value = make([]float64, n)
		k.edge, k.from = make([]float64, 2*n+2), make([]float64, 2*n+1)
		k.base, k.rate = make([]float64, 2*n+1), make([]float64, 2*n+1)
	}
	for k := 1; k < n; k++ { // from the end where the surrogate is zero
		out[0].value[k] = out[0].value[k-1] + neg.slope[k]*(neg.at[k]-neg.at[k-1])
	}
	for k := n - 2; k >= 0; k-- {
		out[1].value[k] = out[1].value[k+1] - pos.slope[k+1]*(pos.at[k+1]-pos.at[k])
	}
	return out
}

// smooth sets the envelope's width.
func (k *kinks) smooth(eps float64) {
	k.edge[0], k.edge[len(k.edge)-1] = math.Inf(-1), math.Inf(1)
	k.base[0] = k.slope[0]
	for j, h := range k.at {
		lo, hi := h+eps*k.slope[j], h+eps*k.slope[j+1]
		k.edge[2*j+1], k.edge[2*j+2] = lo, hi
		k.base[2*j+1], k.rate[2*j+1], k.from[2*j+1] = k.slope[j], 1/eps, lo
		k.base[2*j+2] = k.slope[j+1]
	}
}

// locate returns the state of u, looking from state s on.
func (k *kinks) locate(s uint8, u float64) uint8 {
	for u >= k.edge[s+1] {
		s++
	}
	for u < k.edge[s] {
		s--
	}
	return s
}

// eval returns the unsmoothed surrogate at f.
func (k *kinks) eval(f float64) float64 {
	j := 0
	for j+1 < len(k.at) && f >= k.at[j+1] {
		j++
	}
	if d := f - k.at[j]; d < 0 {
		return k.value[j] + k.slope[j]*d
	} else {
		return k.value[j] + k.slope[j+1]*d
	}
}

// conjugate returns min_f φ(f) − t·f, the entropy E of the dual, for a slope t
// in the range of slopes.
func (k *kinks) conjugate(t float64) float64 {
	e := math.Inf(1)
	for j, h := range k.at {
		e = min(e, k.value[j]-t*h)
	}
	return e
}

// clamp returns t moved into the range of slopes.
func (k *kinks) clamp(t float64) float64 {
	return min(max(t, k.slope[0]), k.slope[len(k.slope)-1])
}

package linear

import (
	"math"

	"taper/internal/engine/loss"
)

// kinks is the surrogate of one class as a function of the score f: convex and piecewise linear, with K
// kinks and K+1 slopes (docs/math.md, Interval classification). Its Moreau envelope of width ε replaces
// each kink h by a parabola over [h+ε·slope before, h+ε·slope after] and keeps the slopes in between.
type kinks struct {
	at     []float64 // score at each kink, ascending
	value  []float64 // surrogate at each kink
	slope  []float64 // K+1 slopes: slope[k] before kink k, slope[k+1] after it
	pieces []piece   // 2K+1 pieces of the envelope: 2k has slope[k], 2k+1 is the parabola at kink k
}

// piece is an interval [lo, hi) of an envelope, with the derivative base + rate·(u−from).
type piece struct{ lo, hi, base, rate, from float64 }

func (p *piece) slope(u float64) float64 { return p.base + p.rate*(u-p.from) }

// newKinks returns the surrogates of the classes −1 and +1.
func newKinks(iv loss.Interval) [2]kinks {
	n := len(iv.Pi)
	neg := kinks{at: iv.Hinge[:n], slope: append([]float64{0}, iv.Pi...)}
	pos := kinks{at: iv.Hinge[1:], slope: make([]float64, n+1)}
	for k, p := range iv.Pi {
		pos.slope[k] = p - 1
	}
	for _, k := range []*kinks{&neg, &pos} {
		k.value, k.pieces = make([]float64, n), make([]piece, 2*n+1)
	}
	for k := 1; k < n; k++ { // from the end where the surrogate is 0
		neg.value[k] = neg.value[k-1] + neg.slope[k]*(neg.at[k]-neg.at[k-1])
	}
	for k := n - 2; k >= 0; k-- {
		pos.value[k] = pos.value[k+1] - pos.slope[k+1]*(pos.at[k+1]-pos.at[k])
	}
	return [2]kinks{neg, pos}
}

// smooth sets the width of the envelope.
func (k *kinks) smooth(eps float64) {
	k.pieces[0] = piece{lo: math.Inf(-1), base: k.slope[0]}
	for j, h := range k.at {
		lo, hi := h+eps*k.slope[j], h+eps*k.slope[j+1]
		k.pieces[2*j].hi = lo
		k.pieces[2*j+1] = piece{lo, hi, k.slope[j], 1 / eps, lo}
		k.pieces[2*j+2] = piece{lo: hi, base: k.slope[j+1]}
	}
	k.pieces[len(k.pieces)-1].hi = math.Inf(1)
}

// locate returns the piece that contains u, searching from piece s.
func (k *kinks) locate(s uint8, u float64) uint8 {
	for u >= k.pieces[s].hi {
		s++
	}
	for u < k.pieces[s].lo {
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
	d, slope := f-k.at[j], k.slope[j]
	if d > 0 {
		slope = k.slope[j+1]
	}
	return k.value[j] + slope*d
}

// slopeAt returns the right derivative of the unsmoothed surrogate at f.
func (k *kinks) slopeAt(f float64) float64 {
	j := 0
	for j < len(k.at) && f >= k.at[j] {
		j++
	}
	return k.slope[j]
}

// entropy returns min_f φ(f) − t·f, the E of the dual problem, for a t between the smallest and the
// largest slope.
func (k *kinks) entropy(t float64) float64 {
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

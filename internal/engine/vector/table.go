package vector

import (
	"math"
	"sync/atomic"
)

// Degree is that of the polynomials of a table.
const Degree = 16

// steps is the number of pairs of powers of a polynomial: 16 and 15 first, then down to 2 and 1, and 0 alone.
const steps = Degree/2 + 1

// Piece holds a polynomial of a value and one of its slope as an instruction reads them: for each two powers, the
// coefficients of the even and the odd one of the value, then those of the slope.
type Piece [steps][lanes]float64

// NewPiece returns the piece with the given coefficients of 1, x, x² and so on.
func NewPiece(value, slope *[Degree + 1]float64) *Piece {
	p := new(Piece)
	none := math.Copysign(0, -1) // does not change a sum
	for k := range p {
		m := Degree - 2*k
		p[k] = [lanes]float64{value[m], none, slope[m], none}
		if m > 0 {
			p[k][1], p[k][3] = value[m-1], slope[m-1]
		}
	}
	return p
}

// at evaluates the polynomials, each in two sums: the even powers and the odd ones.
func (p *Piece) at(x float64) (value, slope float64) {
	x2 := x * x
	value, odd, slope, slopeOdd := p[0][0], p[0][1], p[0][2], p[0][3]
	for k := 1; k < steps-1; k++ {
		c := &p[k]
		value, odd = float64(value*x2)+c[0], float64(odd*x2)+c[1]
		slope, slopeOdd = float64(slope*x2)+c[2], float64(slopeOdd*x2)+c[3]
	}
	last := &p[steps-1]
	value, odd = float64(value*x2)+last[0], float64(odd*x)+last[1]
	slope, slopeOdd = float64(slope*x2)+last[2], float64(slopeOdd*x)+last[3]
	return value + odd, slope + slopeOdd
}

// Table holds functions of a margin z and their slopes as polynomials of w = −log exp_t(−|z|), with one piece for
// each span of w and each sign of z. A piece may be set at any time, while others evaluate the table.
type Table struct {
	rate    float64 // |t − 1|
	inverse float64
	scale   float64 // spans in a unit of w, a power of two
	reach   float64 // end of the last span
	compact bool    // t < 1: then exp_t is 0 below −1/rate
	pieces  []atomic.Pointer[Piece]
}

// NewTable returns a table without pieces, for t ≠ 1. The length of a span is a power of two. For t < 1 another span,
// numbered spans, holds the constants of the margins that lie clearly outside the support; it must be set.
func NewTable(t, length float64, spans int) *Table {
	extra := 0
	if t < 1 {
		extra = 1
	}
	return &Table{rate: math.Abs(t - 1), inverse: 1 / math.Abs(t-1), scale: 1 / length, reach: length * float64(spans),
		compact: t < 1, pieces: make([]atomic.Pointer[Piece], 2*(spans+extra))}
}

// Set sets the pieces of a span for margins from 0 on, and for negative ones.
func (t *Table) Set(span int, positive, negative *Piece) {
	t.pieces[2*span].Store(positive)
	t.pieces[2*span+1].Store(negative)
}

// outside is what 1 − (1−t)|z| is less than for a margin clearly outside a compact support.
const outside = -0x1p-20

// Span returns the span of a margin, or false if the table does not reach it.
func (t *Table) Span(z float64) (span int, reached bool) {
	span, _, reached = t.place(z)
	return span, reached
}

// place returns the span of a margin and where it is there, from −1 to 1.
func (t *Table) place(z float64) (span int, x float64, reached bool) {
	u := t.rate * math.Abs(z)
	if t.compact { // what is left of the support is rounded only once
		left := math.FMA(-t.rate, math.Abs(z), 1)
		if left < outside {
			return len(t.pieces)/2 - 1, .5, true
		}
		if !(left > 0) {
			return 0, 0, false
		}
		u /= left
	}
	w := Log1p(u) * t.inverse
	if !(w < t.reach) {
		return 0, 0, false
	}
	s := w * t.scale
	span = int(s)
	return span, 2*s - float64(2*span+1), true
}

// Evaluate writes values and slopes at margins and returns how many: it ends before the first margin that the table
// does not reach, or whose piece is not set. What it leaves behind them is of no use.
func (t *Table) Evaluate(values, slopes, z []float64) (done int) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for done < len(z) {
		done += t.fast(values[done:], slopes[done:], z[done:])
		for end := min(done+lanes, len(z)); done < end; done++ {
			u := z[done]
			span, x, reached := t.place(u)
			if !reached {
				return done
			}
			p := t.pieces[2*span+int(math.Float64bits(u)>>63)].Load()
			if p == nil {
				return done
			}
			values[done], slopes[done] = p.at(x)
		}
	}
	return done
}

package loss

import (
	"math"
	"sync/atomic"

	"taper/internal/engine/tempered"
	"taper/internal/engine/vector"
)

// Block of the two-temperature loss reads value and slope from a table of polynomials, with one logarithm
// per margin. For t2 = 1 it is the block of the α-loss. Margins outside the table, and those at the ends
// of a compact support, use the scalar form.
func (l Tempered) Block() BlockFunc {
	if l.T2 == 1 {
		return Alpha{e: 1 - l.T1, beta: l.T1}.Block()
	}
	t := newTable(l)
	if l.T2 < 1 {
		return t.compact
	}
	return t.heavy
}

// table holds value and slope as polynomials in w = −log exp_t2(−|z|). In this variable both are smooth
// up to infinity, which for t2 < 1 is the end of the support. Since p decays like e^−w, its values on a
// piece have one order of magnitude, so a polynomial accurate to 1e-15 of the largest of them has a
// relative error of at most 1e-14 everywhere.
//
// With n nodes the error of Chebyshev interpolation decreases like ρ^−n, where ρ depends on the nearest
// singularity in w. The singularities of p as a function of z are at p/(1−p) = e^(±iπ/t2): at least 1.1
// from the real axis for t2 ≤ 2, and at .82 ± .50i for t2 = 4. For t2 < 1 there is also the other end of
// the support, at w = −log 2/(1−t2). On the pieces chosen here ρ ≥ 8, and 2·8^−17 < 1e-15.
type table struct {
	l       Tempered
	rate    float64 // |t2 − 1|
	inverse float64
	length  float64 // length of a piece, a power of two
	scale   float64 // 1/length
	reach   float64 // margins with a larger w use the scalar form
	pieces  []atomic.Pointer[piece]
	grid    *interpolation
}

const (
	degree  = 16
	deepest = 64   // larger w: there p < e^−64
	longest = 1e12 // larger |z|, for t2 > 1
)

// piece holds the polynomials for margins ≥ 0 at [0], and for negative margins at [1].
type piece [2]struct{ value, slope coefficients }

func newTable(l Tempered) *table {
	t := &table{l: l, rate: math.Abs(l.T2 - 1), length: .5, reach: deepest}
	t.inverse = 1 / t.rate
	if l.T2 > 2 || l.T2 < .5 {
		t.length = .25
	}
	t.scale = 1 / t.length
	if l.T2 > 1 {
		t.reach = min(deepest, math.Log1p(longest*t.rate)*t.inverse)
	}
	t.pieces = make([]atomic.Pointer[piece], int(math.Ceil(t.reach/t.length)))
	t.reach = t.length * float64(len(t.pieces))
	t.grid = newInterpolation()
	return t
}

// piece returns piece n of the table. It is computed when the first margin needs it, since most fits meet only those of
// margins near 0; where two goroutines need it at once, both compute the same.
func (t *table) piece(n int) *piece {
	if p := t.pieces[n].Load(); p != nil {
		return p
	}
	p := new(piece)
	var value, slope [2]coefficients
	for j := range degree + 1 {
		near, far := t.logs(t.length * (float64(n) + .5 + .5*t.grid.node[j]))
		value[0][j], slope[0][j] = tempered.NegLog(t.l.T1, near), -t.l.slope(near, far)
		value[1][j], slope[1][j] = tempered.NegLog(t.l.T1, far), -t.l.slope(far, near)
	}
	for side := range p {
		p[side].value, p[side].slope = t.grid.of(value[side]), t.grid.of(slope[side])
	}
	t.pieces[n].Store(p)
	return p
}

// logs returns log p of the more probable class and of the other one at w. For t2 < 1, computing w back
// from the margin would lose precision near the end of the support. With e = 1−t2 and the smaller
// probability e^−v, we solve (1−e^−v)^e − e^−ev = e·|z| = 1 − e^−ew for v instead, by Newton's method
// from below on a convex decreasing function.
func (t *table) logs(w float64) (near, far float64) {
	if t.l.T2 > 1 {
		return t.l.logs(math.Expm1(t.rate*w) * t.inverse)
	}
	e, unit := t.rate, math.Exp(t.rate*w)
	v := max(w, math.Ln2)
	for {
		s := math.Exp(-v)
		near = math.Log1p(-s)
		down := math.Expm1(e * (w - v))
		over := down - unit*math.Expm1(e*near)
		step := over / (e * (1 + down + unit*s*math.Exp((e-1)*near)))
		if v += step; !(step > 1e-15*v) {
			return math.Log1p(-math.Exp(-v)), -v
		}
	}
}

// coefficients is a polynomial in powers of x on [−1, 1].
type coefficients [degree + 1]float64

// interpolation converts values at the Chebyshev points to powers of x in two steps. The Chebyshev
// coefficients decrease quickly, so multiplying them by the large coefficients of the polynomials T_n in
// the second step does not amplify rounding errors.
type interpolation struct {
	node       coefficients             // the Chebyshev points
	cosine     [degree + 1]coefficients // row n: from values to the coefficient of T_n
	polynomial [degree + 1]coefficients // row n: T_n in powers of x
}

func newInterpolation() *interpolation {
	m := new(interpolation)
	m.polynomial[0][0], m.polynomial[1][1] = 1, 1
	for n := range m.cosine {
		m.node[n] = math.Cos(math.Pi * (float64(n) + .5) / (degree + 1)) // the n-th Chebyshev point on [−1, 1]
		for j := range m.cosine[n] {
			m.cosine[n][j] = math.Cos(math.Pi*float64(n)*(float64(j)+.5)/(degree+1)) * 2 / (degree + 1)
			if n == 0 {
				m.cosine[n][j] /= 2
			}
		}
		for i := range n + 1 {
			if n < 2 {
				break
			}
			m.polynomial[n][i] = -m.polynomial[n-2][i]
			if i > 0 {
				m.polynomial[n][i] += 2 * m.polynomial[n-1][i-1]
			}
		}
	}
	return m
}

func (m *interpolation) of(values coefficients) (c coefficients) {
	for n, row := range m.cosine {
		sum := 0.0
		for j, v := range values {
			sum += v * row[j]
		}
		for i, p := range m.polynomial[n][:n+1] {
			c[i] += sum * p
		}
	}
	return c
}

// heavy evaluates the table for t2 > 1.
func (t *table) heavy(values, slopes, _, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for i, u := range z {
		values[i], slopes[i] = t.at(vector.Log1p(math.Abs(u)*t.rate)*t.inverse, u)
	}
}

// compact evaluates the table for t2 < 1. The distance to the end of the support, 1 − (1−t2)|z|, is
// rounded only once.
func (t *table) compact(values, slopes, _, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for i, u := range z {
		w := math.Inf(1)
		if left := math.FMA(-t.rate, math.Abs(u), 1); left > 0 {
			w = vector.Log1p(t.rate*math.Abs(u)/left) * t.inverse
		}
		values[i], slopes[i] = t.at(w, u)
	}
}

// at returns value and slope at the margin z, whose table coordinate is w.
func (t *table) at(w, z float64) (value, slope float64) {
	if !(w < t.reach) {
		return t.l.Value(1, z), t.l.Slope(1, z)
	}
	n := int(w * t.scale)
	p := &t.piece(n)[math.Float64bits(z)>>63]
	return horner(&p.value, &p.slope, 2*w*t.scale-float64(2*n+1))
}

// horner evaluates two polynomials at once, with even and odd powers separated, so that the processor can
// overlap the operations.
func horner(a, b *coefficients, x float64) (float64, float64) {
	x2 := x * x
	ae, be := a[degree], b[degree]
	ao, bo := a[degree-1], b[degree-1]
	for m := degree - 2; m > 0; m -= 2 {
		ae, ao = ae*x2+a[m], ao*x2+a[m-1]
		be, bo = be*x2+b[m], bo*x2+b[m-1]
	}
	ae, be = ae*x2+a[0], be*x2+b[0]
	return ae + ao*x, be + bo*x
}

package loss

import (
	"math"

	"taper/internal/engine/tempered"
)

// Block of the two-temperature loss: value and slope from a table of
// polynomials where the table reaches, one logarithm a margin; the α-loss where
// t2 = 1; margin by margin at and next to the ends of a compact support.
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

// table holds value and slope as polynomials in w = −log exp_t2(−|z|), a scale
// on which both are smooth to infinity, which is the end of the support for
// t2 < 1: p falls like e^−w, so that on a piece they keep their order of
// magnitude, and a polynomial that fits to 1e-15 of the piece's largest is right
// to 1e-14 everywhere. With n nodes Chebyshev interpolation converges like
// ρ^−n, ρ given by the nearest singularity in w. Those of p as a function of z
// lie at p/(1−p) = e^(±iπ/t2): for t2 ≤ 2, 1.1 or more off the real axis, for
// t2 = 4 at .82 ± .50i. For t2 < 1 there is the other end of the support, at
// w = −log 2/(1−t2). On the pieces chosen here ρ is 8 or more, and 2·8^−17 < 1e-15.
type table struct {
	l       Tempered
	rate    float64 // |t2 − 1|
	inverse float64
	length  float64 // of a piece, a power of two
	scale   float64 // 1/length
	reach   float64 // w beyond this is computed
	pieces  []piece
}

const (
	degree  = 16
	deepest = 64   // w beyond this: there p < e^−64
	longest = 1e12 // and |z| beyond this, for t2 > 1
)

// piece holds a polynomial for the margins ≥ 0, [0], and one for those below.
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
	t.pieces = make([]piece, int(math.Ceil(t.reach/t.length)))
	t.reach = t.length * float64(len(t.pieces))
	m := newInterpolation()
	for n := range t.pieces {
		var value, slope [2]coefficients
		for j := range degree + 1 {
			near, far := t.logs(t.length * (float64(n) + .5 + .5*m.node[j]))
			value[0][j], slope[0][j] = tempered.NegLog(l.T1, near), -l.slope(near, far)
			value[1][j], slope[1][j] = tempered.NegLog(l.T1, far), -l.slope(far, near)
		}
		for side := range 2 {
			t.pieces[n][side].value, t.pieces[n][side].slope = m.of(value[side]), m.of(slope[side])
		}
	}
	return t
}

// logs returns log p of the likelier class and of the other at w. For t2 < 1
// the margin would lose w near the end of the support: with e = 1−t2 and the
// smaller probability e^−v, (1−e^−v)^e − e^−ev = e·|z| = 1 − e^−ew is solved
// for v by Newton's method from below, on a convex falling function.
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

// interpolation goes from values at the Chebyshev points to powers of x in two
// steps: the Chebyshev coefficients fall off quickly, and only they may meet
// the large coefficients of the polynomials T_n.
type interpolation struct {
	node       coefficients             // Chebyshev points
	cosine     [degree + 1]coefficients // row n: values → coefficient of T_n
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

// heavy evaluates for t2 > 1.
func (t *table) heavy(values, slopes, _, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for i, u := range z {
		values[i], slopes[i] = t.at(tempered.QuickLog1p(math.Abs(u)*t.rate)*t.inverse, u)
	}
}

// compact evaluates for t2 < 1. What is left of the support, 1 − (1−t2)|z|, is
// rounded once.
func (t *table) compact(values, slopes, _, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for i, u := range z {
		w := math.Inf(1)
		if left := math.FMA(-t.rate, math.Abs(u), 1); left > 0 {
			w = tempered.QuickLog1p(t.rate*math.Abs(u)/left) * t.inverse
		}
		values[i], slopes[i] = t.at(w, u)
	}
}

// at returns value and slope at the margin z, whose place is w.
func (t *table) at(w, z float64) (value, slope float64) {
	if !(w < t.reach) {
		return t.l.Value(1, z), t.l.Slope(1, z)
	}
	n := int(w * t.scale)
	p := &t.pieces[n][math.Float64bits(z)>>63]
	return horner(&p.value, &p.slope, 2*w*t.scale-float64(2*n+1))
}

// horner evaluates two polynomials side by side, even and odd powers apart.
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

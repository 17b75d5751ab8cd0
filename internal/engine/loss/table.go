package loss

import (
	"math"

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
	return newTable(l).block
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
	pieces  *vector.Table
}

const (
	degree  = vector.Degree
	deepest = 64   // larger w use the scalar form: there p < e^−64
	longest = 1e12 // larger |z|, for t2 > 1
)

func newTable(l Tempered) *table {
	t := &table{l: l, rate: math.Abs(l.T2 - 1), length: .5}
	t.inverse = 1 / t.rate
	if l.T2 > 2 || l.T2 < .5 {
		t.length = .25
	}
	reach := float64(deepest)
	if l.T2 > 1 {
		reach = min(deepest, math.Log1p(longest*t.rate)*t.inverse)
	}
	count := int(math.Ceil(reach / t.length))
	t.pieces = vector.NewTable(l.T2, t.length, count)
	if l.T2 < 1 {
		t.pieces.Set(count, t.beyond(inf), t.beyond(-inf))
	}
	return t
}

// beyond is the piece of margins outside the support, where the loss is that of an infinite margin. All zeros of a
// polynomial have the sign of its constant, which is then that of the sum.
func (t *table) beyond(z float64) *vector.Piece {
	constant := func(v float64) *[degree + 1]float64 {
		c := new([degree + 1]float64)
		for i := range c {
			c[i] = math.Copysign(0, v)
		}
		c[0] = v
		return c
	}
	return vector.NewPiece(constant(t.l.Value(1, z)), constant(t.l.Slope(1, z)))
}

// compute computes the pieces of a span of w. That is done when the first margin needs them, since most fits meet only
// those of margins near 0; where two goroutines need them at once, both compute the same.
func (t *table) compute(n int) {
	var value, slope [2]coefficients
	for j := range degree + 1 {
		near, far := t.logs(t.length * (float64(n) + .5 + .5*chebyshev.node[j]))
		value[0][j], slope[0][j] = tempered.NegLog(t.l.T1, near), -t.l.slope(near, far)
		value[1][j], slope[1][j] = tempered.NegLog(t.l.T1, far), -t.l.slope(far, near)
	}
	var sides [2]*vector.Piece
	for side := range sides {
		v, s := chebyshev.of(value[side]), chebyshev.of(slope[side])
		sides[side] = vector.NewPiece((*[degree + 1]float64)(&v), (*[degree + 1]float64)(&s))
	}
	t.pieces.Set(n, sides[0], sides[1])
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

// chebyshev is the same for all tables, and nothing changes it.
var chebyshev = newInterpolation()

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

// block evaluates the table.
func (t *table) block(values, slopes, _, z []float64) {
	for at := 0; at < len(z); {
		if at += t.pieces.Evaluate(values[at:len(z)], slopes[at:len(z)], z[at:]); at == len(z) {
			return
		}
		if n, reached := t.pieces.Span(z[at]); reached {
			t.compute(n)
			continue
		}
		values[at], slopes[at] = t.l.Value(1, z[at]), t.l.Slope(1, z[at])
		at++
	}
}

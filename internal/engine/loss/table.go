package loss

import (
	"math"

	"taper/internal/engine/tempered"
)

// Block of the two-temperature loss: value and slope from a table of
// polynomials where the table reaches, one logarithm a margin; the α-loss where
// t2 = 1; margin by margin otherwise.
func (l Tempered) Block() BlockFunc {
	switch {
	case l.T2 == 1 && l.T1 <= 2:
		return Alpha{e: 1 - l.T1, beta: l.T1}.Block()
	case !(l.T2 > 1 && l.T2 <= 2 && l.T1 <= 2):
		return Block(plainMargin{l})
	}
	t := newTable(l)
	return t.eval
}

// plainMargin hides what else a loss can do.
type plainMargin struct{ Margin }

// table holds value and slope as polynomials in w = −log exp_t2(−|z|), a scale
// on which both are smooth to infinity: p falls like e^−w, so that on a piece
// they keep their order of magnitude, and a polynomial that fits to 1e-15 of
// the piece's largest is right to 1e-14 everywhere. The nearest singularity of
// p as a function of z lies at p/(1−p) = e^(±iπ/t2), which for t2 ≤ 2 is 1.1 or
// more off the real axis in w: Chebyshev interpolation converges like ρ^−n with
// ρ = 8.8 or more on pieces of length ½, and 2·8.8^−17 < 1e-15.
type table struct {
	l       Tempered
	rate    float64 // t2 − 1
	inverse float64
	pieces  []piece
}

const (
	degree = 16
	length = .5 // of a piece
	reach  = 64 // w beyond this is computed: there p < e^−64
)

// piece holds a polynomial for the margins ≥ 0, [0], and one for those below.
type piece [2]struct{ value, slope coefficients }

func newTable(l Tempered) *table {
	t := &table{l: l, rate: l.T2 - 1, inverse: 1 / (l.T2 - 1), pieces: make([]piece, int(reach/length))}
	m := newInterpolation()
	for n := range t.pieces {
		for side := range 2 {
			var value, slope coefficients
			for j := range value {
				w := length * (float64(n) + .5 + .5*node(j))
				z := math.Expm1(t.rate*w) * t.inverse
				own, other := l.logs(math.Copysign(z, .5-float64(side)))
				value[j], slope[j] = tempered.NegLog(l.T1, own), -l.slope(own, other)
			}
			p := &t.pieces[n][side]
			p.value, p.slope = m.of(value), m.of(slope)
		}
	}
	return t
}

// node is the j-th Chebyshev point on [−1, 1].
func node(j int) float64 { return math.Cos(math.Pi * (float64(j) + .5) / (degree + 1)) }

// coefficients is a polynomial in powers of x on [−1, 1].
type coefficients [degree + 1]float64

// interpolation goes from values at the Chebyshev points to powers of x in two
// steps: the Chebyshev coefficients fall off quickly, and only they may meet
// the large coefficients of the polynomials T_n.
type interpolation struct {
	cosine     [degree + 1]coefficients // row n: values → coefficient of T_n
	polynomial [degree + 1]coefficients // row n: T_n in powers of x
}

func newInterpolation() *interpolation {
	m := new(interpolation)
	m.polynomial[0][0], m.polynomial[1][1] = 1, 1
	for n := range m.cosine {
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

func (t *table) eval(values, slopes, _, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	for i, u := range z {
		w := tempered.QuickLog1p(math.Abs(u)*t.rate) * t.inverse
		if !(w < reach) {
			values[i], slopes[i] = t.l.Value(1, u), t.l.Slope(1, u)
			continue
		}
		n := int(w * (1 / length))
		side := math.Float64bits(u) >> 63
		p := &t.pieces[n][side]
		x := w*(2/length) - float64(2*n+1)
		values[i], slopes[i] = horner(&p.value, &p.slope, x)
	}
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

package vector

import "math"

// Exp, Expm1 and Log1p are for loops over many rows. They use tables of 64 entries and a short
// polynomial, and their error is at most two units in the last place more than that of package math. The
// conversions of products keep compilers from fusing them with sums, which would round differently.

const (
	bits    = 6
	entries = 1 << bits
	shift   = 0x1.8p52 // adding and subtracting it rounds to an integer
	perLn2  = entries / math.Ln2
	ln2Hi   = 0x1.62e42fefap-1 / entries // ends in enough zero bits for k·ln2Hi to be exact
	ln2Lo   = 0x1.cf79abc9e3b3ap-40 / entries
)

// powers are the bits of 2^(i/64) minus the exponent of i/64; logs and inverses are those of 1 + i/64,
// for i up to 64.
var powers, logs, inverses = tables()

func tables() (p [entries]uint64, l, inv [2 * entries]float64) {
	for i := range p {
		p[i] = math.Float64bits(math.Exp2(float64(i)/entries)) - uint64(i)<<(52-bits)
	}
	for i := range l {
		u := float64(i) / entries
		l[i], inv[i] = math.Log1p(u), 1/(1+u)
	}
	return p, l, inv
}

// Exp returns e^x.
func Exp(x float64) float64 {
	if !(x > -700 && x < 700) {
		return math.Exp(x)
	}
	scale, tail := split(x)
	return scale + float64(scale*tail)
}

// Expm1 returns e^x and e^x − 1, the latter to 1e-14 relative.
func Expm1(x float64) (e, m float64) {
	if !(x > -700 && x < 700) {
		return math.Exp(x), math.Expm1(x)
	}
	scale, tail := split(x)
	tail = float64(tail * scale)
	return scale + tail, (scale - 1) + tail
}

// split returns 2^(k/64) and e^r − 1 with x = k·log 2/64 + r.
func split(x float64) (scale, tail float64) {
	k := float64(x*perLn2) + shift
	n := math.Float64bits(k)
	k -= shift
	r := x - float64(k*ln2Hi) - float64(k*ln2Lo)
	r2 := r * r
	tail = r + float64(r2*(1./2+float64(r*(1./6)))) + float64(r2*r2*(1./24+float64(r*(1./120))))
	return math.Float64frombits(powers[n%entries] + n<<(52-bits)), tail
}

// Log1p returns log(1 + u) for 0 ≤ u < ∞, to full relative accuracy for
// small u.
func Log1p(u float64) float64 {
	e := 0.0
	if u >= 1 {
		b := math.Float64bits(1 + u)
		e = float64(int(b>>52) - 1023)
		u = math.Float64frombits(b&(1<<52-1)|1023<<52) - 1
	}
	i := int(u*entries + .5)
	r := (u - float64(float64(i)*(1./entries))) * inverses[i&(2*entries-1)]
	r2 := r * r
	p := r - float64(r2*(1./2-float64(r*(1./3)))) -
		float64(r2*r2*((1./4-float64(r*(1./5)))+float64(r2*(1./6-float64(r*(1./7))))))
	return float64(e*math.Ln2) + (logs[i&(2*entries-1)] + p)
}

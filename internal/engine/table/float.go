package table

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// What fastNumber found in the number.
const (
	sawMark = 1 << iota // a decimal mark
	sawZero             // a leading zero before another digit: 007
)

// fastNumber reads a plain decimal number without exponent and with at most 19 digits at b[i:], correctly
// rounded. It returns the position after it, 0 when there is no such number. The caller must check the
// character that follows.
//
// Numbers of at most seven digits before and after the mark are read by words, without a loop over their digits and
// without a branch on their sign, because the processor cannot predict these.
func fastNumber(b []byte, i int, mark byte) (v float64, next int, saw uint8) {
	if i < 0 || len(b)-i < 18 {
		return slowNumber(b, i, mark)
	}
	neg := btoi(b[i] == '-')
	i += neg
	w := binary.LittleEndian.Uint64(b[i:]) // the first character is the lowest byte
	d, n := digitRun(w)
	if n == 0 || n == 64 {
		return slowNumber(b, i-neg, mark)
	}
	if n > 8 && byte(w) == '0' {
		saw = sawZero
	}
	frac := uint(0)
	if byte(w>>n) == mark {
		f, k := digitRun(binary.LittleEndian.Uint64(b[i+int(n>>3)+1:]))
		if k == 64 {
			return slowNumber(b, i-neg, mark)
		}
		saw |= sawMark
		frac = k >> 3
		d = d*whole10[frac&7] + f
		n += 8 + k
	}
	v = float64(d) / pow10[frac&7] // both are exact, so the quotient is rounded only once
	return math.Float64frombits(math.Float64bits(v) | uint64(neg)<<63), i + int(n>>3), saw
}

// digitRun reads the digits that a word begins with, its lowest byte first, and returns the number that they write and
// how many bits they take; eight digits are too many for it.
func digitRun(w uint64) (m uint64, n uint) {
	w ^= 0x3030303030303030
	other := (w + 0x7676767676767676 | w) & 0x8080808080808080 // the high bit of the first byte that is no digit
	n = uint(bits.TrailingZeros64(other)) &^ 7
	w = w << 8 << (56 - n&63) // so that the last digit is the highest byte
	w = w*10 + w>>8           // a number of two digits in every second byte
	return (w&0x000000ff000000ff*(100+1000000<<32) + w>>16&0x000000ff000000ff*(1+10000<<32)) >> 32, n
}

var whole10 = [8]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// slowNumber is fastNumber for numbers of any length.
func slowNumber(b []byte, i int, mark byte) (v float64, next int, saw uint8) {
	neg := false
	if i < len(b) && b[i] == '-' {
		neg = true
		i++
	}
	var m uint64
	first := i
	for i < len(b) {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		m = m*10 + uint64(c)
		i++
	}
	digits, frac := i-first, 0
	if digits > 1 && b[first] == '0' {
		saw = sawZero
	}
	if i < len(b) && b[i] == mark {
		saw |= sawMark
		i++
		from := i
		for i < len(b) {
			c := b[i] - '0'
			if c > 9 {
				break
			}
			m = m*10 + uint64(c)
			i++
		}
		frac = i - from
		digits += frac
	}
	if digits == 0 || digits > 19 {
		return 0, 0, 0
	}
	if m < 1<<53 { // frac ≤ 19: both operands are exact, so the quotient is rounded only once
		v = float64(m) / pow10[frac]
	} else {
		v = shift10(m, frac)
	}
	if neg {
		v = -v
	}
	return v, i, saw
}

// pow10 and pow5 hold the powers that float64 and uint64 represent exactly.
var (
	pow10 = [20]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
		1e18, 1e19}
	pow5 = func() (p [20]uint64) {
		p[0] = 1
		for i := 1; i < len(p); i++ {
			p[i] = 5 * p[i-1]
		}
		return p
	}()
)

// shift10 returns m·10^(−frac), correctly rounded, for m > 0 and frac ≤ 19. It is used where dividing float64
// values would round twice (Clinger 1990 says when it does not). One division of 128 by 64 bits by 5^frac
// suffices: its remainder decides every tie. The result lies between 2^53/10^19 and 2^64, so it is never
// subnormal.
func shift10(m uint64, frac int) float64 {
	if frac == 0 {
		return float64(m)
	}
	up, down := bits.LeadingZeros64(m), bits.LeadingZeros64(pow5[frac])
	num, den := m<<up, pow5[frac]<<down // both with the top bit set
	q, r := bits.Div64(num>>1, num<<63, den)
	if r != 0 {
		q |= 1 // sticky bit, below the bits that float64 keeps (q has 63 or 64)
	}
	return math.Ldexp(float64(q), down-up-63-frac)
}

package viz

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
)

// None stands for a number that does not exist.
const None = "–"

// Number writes v with the given decimals and a real minus sign; what is not
// finite is None.
func Number(v float64, decimals int) string {
	if !Finite(v) {
		return None
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.HasPrefix(s, "-") && strings.Trim(s, "-0.") == "" {
		s = s[1:] // no negative zero
	}
	return phrase.Typeset(s)
}

// NumberOf writes *v, or None.
func NumberOf(v *float64, decimals int) string {
	if v == nil {
		return None
	}
	return Number(*v, decimals)
}

// Short writes v with the given significant digits, or None.
func Short(v float64, digits int) string {
	if !Finite(v) {
		return None
	}
	return phrase.Significant(v, digits)
}

// Ratio writes a ratio to about three digits, with its zeros: 1.00, 12.3.
func Ratio(v float64) string {
	switch {
	case v < 9.995:
		return Number(v, 2)
	case v < 99.95:
		return Number(v, 1)
	}
	return Short(v, 3)
}

// Signed writes a difference with its sign; what rounds to nothing has none.
func Signed(v float64, decimals int) string {
	text := Number(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Percent writes a share of 1 in per cent with the given decimals, without the
// unit.
func Percent(p float64, decimals int) string { return Number(100*p, decimals) }

// Range writes "low – high" with no-break spaces.
func Range(low, high string) string { return low + phrase.NBSP + "–" + phrase.NBSP + high }

// pct writes a boundary in per cent as short as it is exact enough: 25, 33.3.
func pct(p float64) string { return Short(100*p, 4) }

// Decimals is how many decimals an estimate and its limits take, all three
// alike: two digits of the interval's width, more where one of them would read
// as null, the value of no effect, without being it. Of ratios, null 1, at least
// two from 0.1 and one from 10.
func Decimals(value, low, high, null float64) int {
	width := math.Abs(high - low)
	if !Finite(width) || !Finite(value) {
		return 2
	}
	d := 0
	if width > 0 {
		d = min(max(0, 1-int(math.Floor(math.Log10(width)))), 9)
	}
	switch {
	case null != 1 || value < 0.1 || value >= 100:
	case value < 10:
		d = max(d, 2)
	default:
		d = max(d, 1)
	}
	for extra := 0; extra < 4 && (reads(value, null, d) || extra < 2 &&
		(reads(low, null, d) || reads(high, null, d))); extra++ {
		d++
	}
	return d
}

// reads reports whether v is written as null without being it.
func reads(v, null float64, decimals int) bool {
	return v != null && Number(v, decimals) == Number(null, decimals)
}

// Estimate writes an estimate and its limits, "low – high", with Decimals.
func Estimate(value, low, high, null float64) (text, limits string) {
	if most := max(math.Abs(value), math.Abs(low), math.Abs(high)); most >= 1e7 || most < 1e-7 {
		return Short(value, 3), Range(Short(low, 3), Short(high, 3))
	}
	d := Decimals(value, low, high, null)
	return Number(value, d), Range(Number(low, d), Number(high, d))
}

// Finite reports whether v is a number, and not an infinite one.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// rate and rateRange write shares in per cent with one decimal.
func rate(p *float64) string {
	if p == nil {
		return None
	}
	return Percent(*p, 1)
}

func rateRange(low, high *float64) string {
	if low == nil || high == nil {
		return None
	}
	return Range(Percent(*low, 1), Percent(*high, 1))
}

package viz

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
)

// None is shown for a number that does not exist.
const None = "–"

// Infinite is written for a ratio whose denominator counts nothing.
const Infinite = "∞"

// Number formats v with the given decimals and a real minus; None if it is not finite.
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

// NumberOf formats *v; None for nil.
func NumberOf(v *float64, decimals int) string {
	if v == nil {
		return None
	}
	return Number(*v, decimals)
}

// Short formats v with the given significant digits; None if it is not finite.
func Short(v float64, digits int) string {
	if !Finite(v) {
		return None
	}
	return phrase.Significant(v, digits)
}

// Ratio formats a ratio with about three digits and trailing zeros: 1.00, 12.3.
func Ratio(v float64) string {
	switch {
	case v < 9.995:
		return Number(v, 2)
	case v < 99.95:
		return Number(v, 1)
	}
	return Short(v, 3)
}

// Signed formats a difference with its sign; one that rounds to 0 has none.
func Signed(v float64, decimals int) string {
	text := Number(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Percent formats a proportion as a percentage with the given decimals, without the unit.
func Percent(p float64, decimals int) string { return Number(100*p, decimals) }

// Range formats "low – high" on one line.
func Range(low, high string) string { return low + phrase.To + high }

// NoInterval is written for an interval without width: the method behind it saw no variation, as DeLong's where all
// events rank above all other rows, so its limits would claim a certainty that is not there.
const NoInterval = "no interval"

// Widthless reports whether limits are written as NoInterval. A difference of 0 between two models that agree on every
// row keeps them: no variation is what was found.
func Widthless(low, high float64, difference bool) bool {
	return low == high && !(difference && low == 0)
}

// pct formats a boundary as a percentage with up to four digits: 25, 33.3.
func pct(p float64) string { return Short(100*p, 4) }

// Decimals is the number of decimals for an estimate and its limits. It shows two digits of the
// interval's width, and more if one of the three would round to null, the value of no effect,
// without being equal to it. Ratios (null = 1) get at least two decimals from 0.1 and one from
// 10.
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

// reads reports whether v would be shown as null without being equal to it.
func reads(v, null float64, decimals int) bool {
	return v != null && Number(v, decimals) == Number(null, decimals)
}

// Estimate formats an estimate and its limits, "low – high", with Decimals.
func Estimate(value, low, high, null float64) (text, limits string) {
	if most := max(math.Abs(value), math.Abs(low), math.Abs(high)); most >= 1e7 || most < 1e-7 {
		return Short(value, 3), Range(Short(low, 3), Short(high, 3))
	}
	d := Decimals(value, low, high, null)
	return Number(value, d), Range(Number(low, d), Number(high, d))
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// rate and rateRange format proportions as percentages with one decimal.
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

package form

import (
	"net/url"
	"strconv"
	"strings"
)

// percentSuffix ends the name of a field in per cent. Addresses and the API contain fractions. The two never share
// a key, so 30 cannot be read as a fraction, nor 0.3 as per cent.
const percentSuffix = ".pct"

// PercentKey is the name of a form field that takes key in per cent.
func PercentKey(key string) string { return key + percentSuffix }

// ParsePercent reads a share typed in per cent, with or without the sign: 30, 30 %, 12,5. It returns the fraction;
// 0.3 means 0.3 %, never 30 %.
func ParsePercent(text string) (share float64, ok bool) {
	v, ok := ParseNumber(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")))
	if !ok {
		return 0, false
	}
	return shift(v, -2), true
}

// Percent is a share in per cent, without the rounding error of 100 · 0.07.
func Percent(share float64) float64 { return shift(share, 2) }

// PercentText writes a share for a field in per cent, with all digits.
func PercentText(share float64) string { return strconv.FormatFloat(Percent(share), 'f', -1, 64) }

// shift moves the decimal point of the shortest decimal representation of v.
func shift(v float64, digits int) float64 {
	return MustFloat(strconv.FormatFloat(v, 'f', -1, 64) + "e" + strconv.Itoa(digits))
}

// HasPercents reports whether a form sent a field in per cent.
func HasPercents(q url.Values) bool {
	for key := range q {
		if strings.HasSuffix(key, percentSuffix) {
			return true
		}
	}
	return false
}

// Fractions converts the fields in per cent to the fractions of an address. Texts that are no numbers stay, so that
// the parser of the key reports them.
func Fractions(q url.Values) url.Values {
	if !HasPercents(q) {
		return q
	}
	out := url.Values{}
	for key, texts := range q {
		base, percent := strings.CutSuffix(key, percentSuffix)
		if !percent {
			if !q.Has(key + percentSuffix) {
				out[key] = texts
			}
			continue
		}
		for _, text := range texts {
			if share, ok := ParsePercent(text); ok {
				text = Text(share)
			}
			out.Add(base, text)
		}
	}
	return out
}

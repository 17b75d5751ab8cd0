package form

import (
	"net/url"
	"strconv"
	"strings"
)

// percentSuffix ends the name of a field that takes per cent. Addresses and the
// API hold fractions: the two never share a key, so that 30 is never read as a
// fraction, nor 0.3 as per cent.
const percentSuffix = ".pct"

// PercentKey names the field of a form that takes key in per cent.
func PercentKey(key string) string { return key + percentSuffix }

// ParsePercent reads a share that was typed in per cent, with or without its
// sign: 30, 30 %, 12,5. It returns the fraction; 0.3 is 0.3 %, never 30 %.
func ParsePercent(text string) (share float64, ok bool) {
	v, ok := ParseNumber(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")))
	if !ok {
		return 0, false
	}
	return shift(v, -2), true
}

// Percent is a share in per cent, without the dust that 100 · 0.07 leaves.
func Percent(share float64) float64 { return shift(share, 2) }

// PercentText writes a share for a field that takes per cent, with all its
// digits.
func PercentText(share float64) string { return strconv.FormatFloat(Percent(share), 'f', -1, 64) }

// shift moves the decimal point of the shortest decimal of v.
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

// Fractions is the query with its fields in per cent as the fractions of an
// address. What is no number stays as it was typed: the reader of the key says so.
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

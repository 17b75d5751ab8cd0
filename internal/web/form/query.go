package form

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// typed replaces typographic characters of numbers: the minus sign, thin spaces, powers of ten.
var typed = strings.NewReplacer(phrase.Thin+"×"+phrase.Thin+"10", "e", " × 10", "e", "10⁻", "1e-",
	phrase.Minus, "-", phrase.Thin, "", "\u2009", "", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
	"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// ParseNumber reads a finite number as typed or copied from a page: with a decimal comma, a minus sign, thin spaces,
// powers of ten.
func ParseNumber(text string) (float64, bool) {
	text = plain(text)
	v, ok := table.ParseNumber(text, ".")
	if v == 0 {
		v = 0 // no −0
	}
	return v, ok && !math.IsInf(v, 0)
}

func plain(text string) string { return strings.Replace(typed.Replace(text), ",", ".", 1) }

// Plain is a number that ParseNumber reads with a decimal point and without typographic characters, for a reader
// that knows no others. Any other text stays.
func Plain(text string) string {
	text = strings.TrimSpace(text)
	if _, ok := ParseNumber(text); ok {
		return plain(text)
	}
	return text
}

// Text writes a number for an address or a field with all its digits; inf for infinity.
func Text(v float64) string {
	if math.IsInf(v, 1) {
		return "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// MustFloat parses a number written by FormatFloat.
func MustFloat(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("web: " + text + " was made by FormatFloat")
	}
	return v
}

// Pair is one key of a query with its value.
type Pair struct{ Key, Value string }

var readable = strings.NewReplacer("%2C", ",", "%3A", ":", "%2F", "/")

// Encode writes a query in the order of its pairs, with its question mark; empty without pairs. Characters are
// escaped only where they must be.
func Encode(pairs []Pair) string {
	if len(pairs) == 0 {
		return ""
	}
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + "=" + readable.Replace(url.QueryEscape(p.Value))
	}
	return "?" + strings.Join(parts, "&")
}

// OrEmpty replaces nil by an empty list, which has another meaning.
func OrEmpty(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// Error is one error for all invalid values of a query, with the messages for the controls; nil for none.
func Error(bad []usererr.Field) error {
	if len(bad) == 0 {
		return nil
	}
	var each []string
	for _, f := range bad {
		each = append(each, format.Problem(f))
	}
	return &usererr.Error{Code: usererr.Invalid, Detail: strings.Join(each, " "), Fields: bad}
}

// Address is a path with its query, if there is one.
func Address(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

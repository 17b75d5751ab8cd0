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

// typed are the signs of print that a number may have: a real minus, thin spaces.
var typed = strings.NewReplacer(phrase.Minus, "-", phrase.Thin, "", "\u2009", "")

// ParseNumber reads a finite number as people type it or copy it from a page: with a
// decimal comma, a real minus, thin spaces.
func ParseNumber(text string) (float64, bool) {
	text = strings.Replace(typed.Replace(text), ",", ".", 1)
	v, ok := table.ParseNumber(text, ".")
	if v == 0 {
		v = 0 // no negative zero
	}
	return v, ok && !math.IsInf(v, 0)
}

// Text writes a number for a URL or a field: all its digits, inf for infinity.
func Text(v float64) string {
	if math.IsInf(v, 1) {
		return "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// MustFloat reads a finite number that FormatFloat wrote.
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

// Encode writes a query, in the order of its pairs and with its question mark;
// without pairs it is empty. What stays readable stays unescaped.
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

// OrEmpty keeps an empty list apart from one that is not there.
func OrEmpty(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// Error is one error for all that was wrong with a query, as it stands at the
// controls; nil for nothing.
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

// Address is a path with its query, where there is one.
func Address(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// Package phrase writes counts, numbers, levels and lists as they stand in a
// sentence for a user: a count with its noun, a real minus, a list with "and".
// Numbers with a set number of digits, as tables and figures have them, are
// package viz's.
package phrase

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Int writes a whole number, with thin spaces between its thousands from 10,000 on.
func Int(n int) string { return Typeset(strconv.Itoa(n)) }

// Typeset makes of a number as strconv writes it one as it is printed: a real minus, an
// exponent without padding, thin spaces between the thousands of five and more digits.
func Typeset(number string) string {
	number = Signs(number)
	start := strings.IndexAny(number, "0123456789")
	if start < 0 {
		return number
	}
	end := start
	for end < len(number) && number[end] >= '0' && number[end] <= '9' {
		end++
	}
	if end-start < 5 {
		return number
	}
	for i := end - 3; i > start; i -= 3 {
		number = number[:i] + Thin + number[i:]
	}
	return number
}

// Signs is Typeset for a field, where digits that somebody edits stand together:
// −3.05e-05 becomes −3.05e−5.
func Signs(number string) string {
	mantissa, exponent, ok := strings.Cut(number, "e")
	if e, err := strconv.Atoi(exponent); ok && err == nil {
		number = mantissa + "e" + strconv.Itoa(e)
	}
	return strings.ReplaceAll(number, "-", Minus)
}

// Count writes a count with its noun, which takes an s unless there is one.
func Count(n int, noun string) string {
	return Plural(n, noun, noun+"s")
}

// Plural is Count for a noun with another plural, or with its verb: "1 row is", "2 rows are".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Int(n) + " " + many
}

// Share writes part of whole as a percentage; only all is 100 % and only none
// is 0 %.
func Share(part, whole int) string {
	p := int(math.Round(100 * float64(part) / float64(max(whole, 1))))
	switch {
	case p == 100 && part < whole:
		p = 99
	case p == 0 && part > 0:
		return "under 1\u00a0%"
	}
	return fmt.Sprintf("%d\u00a0%%", p)
}

// Number writes a number with all its digits.
func Number(v float64) string {
	format := byte('f')
	if size := math.Abs(v); size != 0 && size < 1e-4 || size >= 1e15 {
		format = 'g'
	}
	return Typeset(strconv.FormatFloat(v, format, -1, 64))
}

// Significant writes a number with the given significant digits, after which only the
// digits before the decimal point remain, without trailing zeros; very large and very
// small numbers take powers of ten.
func Significant(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	_, exponent, ok := strings.Cut(text, "e")
	if e, _ := strconv.Atoi(exponent); ok && (e >= 0 && e < 7 || e < 0 && e > -4) {
		text = strconv.FormatFloat(v, 'f', max(0, digits-1-e), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	}
	return Typeset(text)
}

// Quote marks a level or code.
func Quote(s string) string {
	if s == "" {
		return "the empty cell"
	}
	return "‘" + s + "’"
}

// List joins words: "a, b and c"; of more than six the first five and the
// number of the others.
func List(words []string) string {
	if len(words) > 6 {
		words = append(words[:5:5], fmt.Sprintf("%d others", len(words)-5))
	}
	return Join(words)
}

// Join names every word: "a", "a and b", "a, b and c".
func Join(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Code writes a code with a real minus.
func Code(code string) string {
	if strings.HasPrefix(code, "-") {
		return "−" + code[1:]
	}
	return Quote(code)
}

// CountWith writes a count with its noun and the verb that agrees with it.
func CountWith(n int, noun, one, many string) string {
	return Plural(n, noun+" "+one, noun+"s "+many)
}

// Numeral writes small counts as words.
func Numeral(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
		"twelve"}
	if n < len(words) {
		return words[n]
	}
	return Int(n)
}

// UpperFirst makes the first letter a capital.
func UpperFirst(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf { // the α of a loss keeps its size
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LowerFirst makes the first letter small.
func LowerFirst(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Shorten cuts a text that is too long for its place to most characters, the
// ellipsis among them.
func Shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// JSON says what a value is, in the words of JSON; texts are not repeated.
func JSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		return fmt.Sprintf("%.40s", v)
	case string:
		return "a text"
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	}
	return "an object"
}

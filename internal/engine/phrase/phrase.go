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

// Int writes a whole number with commas between the thousands.
func Int(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
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

// Number writes a number as in a sentence, with a real minus.
func Number(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "-", "−", 1)
}

// FourDigits writes a number with four digits and a real minus.
func FourDigits(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", Minus, 1)
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

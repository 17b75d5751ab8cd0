// Package phrase formats counts, numbers, levels and lists for sentences: a count with its
// noun, a real minus, a list with "and". Numbers with a fixed number of digits, for tables and
// figures, are formatted by package viz.
package phrase

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Int formats a whole number, with thin spaces between thousands from 10,000 on.
func Int(n int) string { return Typeset(strconv.Itoa(n)) }

// Typeset converts a number formatted by strconv to print: a real minus, powers of ten with
// raised exponents, thin spaces between thousands from five digits on.
func Typeset(number string) string {
	mantissa, exponent, ok := strings.Cut(number, "e")
	if e, err := strconv.Atoi(exponent); ok && err == nil {
		return power(mantissa, e)
	}
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

// raised are the digits of an exponent.
var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
	"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// power writes −3.05 × 10⁻⁵, and 10⁻⁵ without a factor of 1.
func power(mantissa string, exponent int) string {
	ten := "10" + raised.Replace(strconv.Itoa(exponent))
	switch mantissa {
	case "1":
		return ten
	case "-1":
		return Minus + ten
	}
	return Signs(mantissa) + Thin + "×" + Thin + ten
}

// Signs is Typeset for an input field, whose digits are not separated: −3.05e-05 becomes
// −3.05e−5.
func Signs(number string) string {
	mantissa, exponent, ok := strings.Cut(number, "e")
	if e, err := strconv.Atoi(exponent); ok && err == nil {
		number = mantissa + "e" + strconv.Itoa(e)
	}
	return strings.ReplaceAll(number, "-", Minus)
}

// Count formats a count with its noun, with a plural s unless the count is 1.
func Count(n int, noun string) string {
	return Plural(n, noun, noun+"s")
}

// Plural is Count for an irregular plural, or for a noun with its verb: "1 row is", "2 rows
// are".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Int(n) + " " + many
}

// Share formats part of whole as a percentage; 100 % only for all, 0 % only for none.
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

// Number formats a number with all its digits.
func Number(v float64) string {
	format := byte('f')
	if size := math.Abs(v); size != 0 && size < 1e-4 || size >= 1e15 {
		format = 'g'
	}
	return Typeset(strconv.FormatFloat(v, format, -1, 64))
}

// Significant formats a number with the given significant digits and no trailing zeros. A
// number with more digits before the decimal point keeps them; very large and very small ones
// are powers of ten.
func Significant(v float64, digits int) string { return Typeset(significant(v, digits)) }

// Field is Significant for an input field, in the form that people type: 3.05e−5, 1234567.
func Field(v float64, digits int) string { return Signs(significant(v, digits)) }

func significant(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	_, exponent, ok := strings.Cut(text, "e")
	if e, _ := strconv.Atoi(exponent); ok && (e >= 0 && e < 7 || e < 0 && e > -4) {
		text = strconv.FormatFloat(v, 'f', max(0, digits-1-e), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	}
	return text
}

// Quote puts a level or a code in quotes.
func Quote(s string) string {
	if s == "" {
		return "the empty cell"
	}
	return Verbatim(s)
}

// Verbatim puts a text as the user wrote it in quotes. What would not be seen, as a line break, a no-break space or an
// escape sequence of terminals, is written as Go escapes it.
func Verbatim(s string) string {
	var out strings.Builder
	out.WriteString("‘")
	for _, r := range s {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	out.WriteString("’")
	return out.String()
}

// List joins words: "a, b and c"; of more than six it lists five and the number of the others.
func List(words []string) string {
	if len(words) > 6 {
		words = append(words[:5:5], fmt.Sprintf("%d others", len(words)-5))
	}
	return Join(words)
}

// Join joins all words: "a", "a and b", "a, b and c".
func Join(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Code formats a missing-value code with a real minus.
func Code(code string) string {
	if strings.HasPrefix(code, "-") {
		return "−" + code[1:]
	}
	return Quote(code)
}

// CountWith formats a count with its noun and the verb that agrees with it.
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

// UpperFirst capitalises the first letter.
func UpperFirst(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf { // Greek letters such as α stay lower case
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LowerFirst makes the first letter lower case.
func LowerFirst(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Shorten cuts a text to most characters, including the ellipsis.
func Shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// JSON describes a value by its JSON type; texts are not repeated.
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

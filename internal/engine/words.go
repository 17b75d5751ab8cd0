package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Typography of sentences: no-break space before %, spaced en dash in ranges,
// a real minus.
const (
	nbsp  = "\u00a0"
	minus = "\u2212"
)

// thousands writes a whole number with commas between the thousands.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent writes a probability as a bare percentage without needless zeros:
// 0.25 → "25", 0.125 → "12.5". What is above 0 does not read as 0.
func percent(p float64) string {
	if p > 0 && p < 5e-7 {
		return strconv.FormatFloat(100*p, 'g', 2, 64)
	}
	return strconv.FormatFloat(math.Round(p*1e6)/1e4, 'f', -1, 64)
}

// rounded writes a probability as a whole percentage, with one decimal below 1
// and above 99 %, so that a rare event does not read as none.
func rounded(p float64) string {
	v := 100 * p
	if v > 0 && v < 1 || v > 99 && v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// band names band j of the boundaries: "at most 25 %", "from 25 to 50 %",
// "above 75 %".
func band(pi []float64, j int) string {
	switch {
	case j == 0:
		return "at most " + percent(pi[0]) + nbsp + "%"
	case j == len(pi):
		return "above " + percent(pi[j-1]) + nbsp + "%"
	}
	return fmt.Sprintf("from %s to %s%s%%", percent(pi[j-1]), percent(pi[j]), nbsp)
}

// between is band for a sentence about rows: "24 rows between 50 and 75 %".
func between(pi []float64, j int) string {
	if j > 0 && j < len(pi) {
		return fmt.Sprintf("between %s and %s%s%%", percent(pi[j-1]), percent(pi[j]), nbsp)
	}
	return band(pi, j)
}

// list joins words: "a", "a and b", "a, b and c".
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// numeral writes small counts as words.
func numeral(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return thousands(n)
}

// upper makes the first letter a capital.
func upper(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf { // the α of a loss keeps its size
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lower makes the first letter small.
func lower(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

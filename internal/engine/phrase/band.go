package phrase

import (
	"fmt"
	"math"
	"strconv"
)

// Typography: no-break space before %, spaced en dash in ranges, narrow no-break space between
// thousands, a real minus.
const (
	NBSP  = "\u00a0"
	Thin  = "\u202f"
	Minus = "\u2212"
	// Joiner is the word joiner, which is not seen: a line may break after a dash in spite of a no-break space behind it.
	Joiner = "\u2060"
	// To stands between the limits of a range, which stay on one line.
	To = NBSP + "–" + Joiner + NBSP
)

// Percent formats a probability as a percentage without trailing zeros: 0.25 → "25", 0.125 →
// "12.5". A positive probability is never formatted as 0.
func Percent(p float64) string {
	if p > 0 && p < 5e-7 {
		return Typeset(strconv.FormatFloat(100*p, 'g', 2, 64))
	}
	return strconv.FormatFloat(math.Round(p*1e6)/1e4, 'f', -1, 64)
}

// WholePercent formats a probability as a whole percentage, with one decimal below 1 and above
// 99 %, so that a rare event does not appear as 0 %.
func WholePercent(p float64) string {
	v := 100 * p
	if v > 0 && v < 1 || v > 99 && v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Band describes band j of the boundaries: "at most 25 %", "from 25 to 50 %", "above 75 %".
func Band(pi []float64, j int) string {
	switch {
	case j == 0:
		return "at most " + Percent(pi[0]) + NBSP + "%"
	case j == len(pi):
		return "above " + Percent(pi[j-1]) + NBSP + "%"
	}
	return fmt.Sprintf("from %s to %s%s%%", Percent(pi[j-1]), Percent(pi[j]), NBSP)
}

// Between is Band in the form for a sentence about rows: "24 rows between 50 and 75 %".
func Between(pi []float64, j int) string {
	if j > 0 && j < len(pi) {
		return fmt.Sprintf("between %s and %s%s%%", Percent(pi[j-1]), Percent(pi[j]), NBSP)
	}
	return Band(pi, j)
}

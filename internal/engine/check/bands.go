package check

import (
	"fmt"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// Codes of the warnings about bands, of runs and of external validations.
const (
	WarnFewInStratum = "few-in-stratum"
	WarnNotMonotone  = "not-monotone"
)

// Note is a warning that needs no answer.
func Note(code, column, format string, args ...any) table.Warning {
	return table.Warning{Code: code, Column: column, Level: "note", Message: fmt.Sprintf(format, args...)}
}

// TooFew explains why a band has no verdict.
func TooFew(pi []float64, k int, s stat.Stratum) string {
	if s.N == 0 {
		return fmt.Sprintf("No rows %s.", phrase.Between(pi, k))
	}
	what, then := phrase.Plural(s.N, "row", "rows"), ""
	if s.N >= stat.MinRows {
		noun, n := RarerClass(s)
		what, then = phrase.Plural(n, noun, noun+"s")+" among "+phrase.Int(s.N)+" rows", " Too few "+noun+"s to judge."
	}
	return fmt.Sprintf("%s %s: the 95%s%% CI runs from %s to %s%s%%. %s.%s",
		what, phrase.Between(pi, k), phrase.NBSP, phrase.WholePercent(*s.Low),
		phrase.WholePercent(*s.High), phrase.NBSP, phrase.UpperFirst(RowsForVerdict(s)), then)
}

// RarerClass names and counts the rarer class of a band.
func RarerClass(s stat.Stratum) (noun string, n int) {
	if s.N-s.Events < s.Events {
		return "non-event", s.N - s.Events
	}
	return "event", s.Events
}

// settled names the verdicts that need an interval on one side of the limits, and the condition.
const settled = "the verdict inside or outside, if the rate stays the same"

// RowsForVerdict says how many rows a band without a verdict would need for one.
func RowsForVerdict(s stat.Stratum) string {
	n := s.RowsForVerdict()
	if n == 0 {
		return "not even " + phrase.Int(stat.MostNeeded) + " rows in this band would suffice for " + settled
	}
	return "about " + phrase.Int(twoDigits(n)) + " rows in this band would suffice for " + settled
}

// twoDigits rounds up to two significant digits: the observed rate from which the number of rows is
// computed is itself uncertain.
func twoDigits(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}

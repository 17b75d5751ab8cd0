package table

import (
	"math"
	"strings"
)

// Trim removes from a cell what the reader removes: surrounding blanks, and the quote that WriteCSV writes
// before text that looks like a formula.
func Trim(text string) string { return string(unguard(trim([]byte(text)))) }

// ReadNumber reads a trimmed, non-missing text as a cell of a numeric column: decimal and thousands as in
// Dialect, nonNumeric as in ColumnSpec. ok is false where the reader treats the cell as missing.
func ReadNumber(text, decimal, thousands, nonNumeric string) (v float64, ok bool) {
	p := plan{f: format{mark: '.'}, spec: ColumnSpec{NonNumeric: nonNumeric}}
	if decimal == "," {
		p.f.mark = ','
	}
	if thousands != "" && thousands != "none" && thousands[0] != p.f.mark {
		p.f.group = thousands[0]
	}
	v = p.value(number([]byte(text), p.f))
	return v, !math.IsNaN(v)
}

// Fold returns the form in which JoinLevels compares levels: levels with the same form differ only by blanks,
// case or final dots.
func Fold(level string) string {
	return strings.Join(strings.Fields(strings.TrimRight(strings.ToLower(strings.TrimSpace(level)), ".")), " ")
}

package table

import (
	"math"
	"strings"
)

// Trim removes from a cell what the reader removes: blanks around it and the
// quote that WriteCSV puts before what looks like a formula.
func Trim(text string) string { return string(unguard(trim([]byte(text)))) }

// ReadNumber reads a trimmed text that is not missing as the cells of a
// numeric column are read: decimal and thousands as in Dialect, nonNumeric as
// in ColumnSpec. Not ok: the reader takes the cell as missing.
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

// Fold is what JoinLevels compares levels by: two that fold to the same text
// differ only by blanks, case or final dots.
func Fold(level string) string {
	return strings.Join(strings.Fields(strings.TrimRight(strings.ToLower(strings.TrimSpace(level)), ".")), " ")
}

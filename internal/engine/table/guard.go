package table

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV writes comma-separated files that people may open in spreadsheets, with every cell guarded by the same
// rule. All files of the program are written with it, except tables (WriteCSV) and scored rows, which keep
// their dialect (RowWriter).
type CSV struct {
	out  *csv.Writer
	line []string
}

// NewCSV returns a writer of comma-separated lines.
func NewCSV(w io.Writer) *CSV { return &CSV{out: csv.NewWriter(w)} }

// Write writes one line and guards its cells. Flush returns its error.
func (c *CSV) Write(cells ...string) {
	c.line = c.line[:0]
	for _, cell := range cells {
		c.line = append(c.line, Guard(cell))
	}
	_ = c.out.Write(c.line) // the writer keeps the first error
}

// Flush writes buffered lines and returns the first error of any line.
func (c *CSV) Flush() error {
	c.out.Flush()
	return c.out.Error()
}

// Guard puts a single quote before text that a spreadsheet would evaluate as a formula. Numbers with either
// decimal mark, and ±Inf as programs write it, are unchanged.
func Guard(text string) string {
	if needsGuard(text) {
		return "'" + text
	}
	return text
}

// Unguard removes a quote that Guard has put before text.
func Unguard(text string) string { return string(unguard([]byte(text))) }

func needsGuard(cell string) bool {
	if cell == "" || !dangerous(cell[0]) || cell == "+Inf" || cell == "-Inf" {
		return false
	}
	if len(trim([]byte(cell))) == 0 {
		return false // it is not a formula, and with a quote it would no longer be read as missing
	}
	_, german := number([]byte(cell), format{mark: ',', group: '.'}) // −1.234,5
	return !looksNumeric(cell) && !german.reads()
}

// unguard removes a quote that Guard would have put there, and the blanks after it, because Read would trim
// them from text without a quote.
func unguard(b []byte) []byte {
	if len(b) > 1 && b[0] == '\'' && dangerous(b[1]) {
		return trim(b[1:])
	}
	return b
}

// dangerous reports whether a spreadsheet may read a cell that starts with c as a formula. Some skip tabs and
// carriage returns before it.
func dangerous(c byte) bool {
	switch c {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	}
	return false
}

// Unquoted returns a text without its enclosing quotes: a pair of ', ", ‘’, “” or «». ok is false where
// it has none.
func Unquoted(s string) (string, bool) {
	for _, q := range [][2]string{{"'", "'"}, {`"`, `"`}, {"‘", "’"}, {"“", "”"}, {"„", "“"}, {"«", "»"},
		{"`", "`"}} {
		if inner, ok := strings.CutPrefix(s, q[0]); ok {
			if inner, ok := strings.CutSuffix(inner, q[1]); ok {
				return strings.TrimSpace(inner), true
			}
		}
	}
	return s, false
}

package table

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV writes comma-separated files for people, who open them in spreadsheets.
// All files of the program but two kinds go through it: a table has WriteCSV and
// scored rows keep their dialect with RowWriter. One rule guards the cells of all.
type CSV struct {
	out  *csv.Writer
	line []string
}

// NewCSV returns a writer of comma-separated lines.
func NewCSV(w io.Writer) *CSV { return &CSV{out: csv.NewWriter(w)} }

// Write writes one line with every cell guarded; Flush tells its error.
func (c *CSV) Write(cells ...string) {
	c.line = c.line[:0]
	for _, cell := range cells {
		c.line = append(c.line, Guard(cell))
	}
	_ = c.out.Write(c.line) // the writer keeps the first error
}

// Flush writes what is buffered and returns the first error of all lines.
func (c *CSV) Flush() error {
	c.out.Flush()
	return c.out.Error()
}

// Guard puts a single quote before text that a spreadsheet would run as a
// formula. Numbers stay as they are, with either decimal mark, and so does ±Inf
// as programs write it.
func Guard(text string) string {
	if needsGuard(text) {
		return "'" + text
	}
	return text
}

// Unguard removes the quote that Guard puts before text.
func Unguard(text string) string { return string(unguard([]byte(text))) }

func needsGuard(cell string) bool {
	if cell == "" || !dangerous(cell[0]) || cell == "+Inf" || cell == "-Inf" {
		return false
	}
	if len(trim([]byte(cell))) == 0 {
		return false // it holds no formula, and with a quote it would no longer be missing
	}
	_, german := number([]byte(cell), format{mark: ',', group: '.'}) // −1.234,5
	return !looksNumeric(cell) && !german.reads()
}

// unguard removes the quote before text that Guard would have put there. Blanks
// behind the quote go too: Read takes them off text without a quote.
func unguard(b []byte) []byte {
	if len(b) > 1 && b[0] == '\'' && dangerous(b[1]) {
		return trim(b[1:])
	}
	return b
}

// dangerous reports whether a spreadsheet can take a cell that begins with c for
// a formula: tab and carriage return are skipped by some.
func dangerous(c byte) bool {
	switch c {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	}
	return false
}

// Unquoted is a text without the quotes that enclose it, where it has them: a
// pair of ', ", ‘’, “” or «».
func Unquoted(s string) (string, bool) {
	for _, q := range [][2]string{{"'", "'"}, {`"`, `"`}, {"‘", "’"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"`", "`"}} {
		if inner, ok := strings.CutPrefix(s, q[0]); ok {
			if inner, ok := strings.CutSuffix(inner, q[1]); ok {
				return strings.TrimSpace(inner), true
			}
		}
	}
	return s, false
}

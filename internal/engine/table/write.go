package table

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strconv"
)

// WriteCSV writes the columns as UTF-8 with commas, decimal points and ISO dates. Missing cells are empty, and
// numbers read back to the same value. Text that a spreadsheet would read as a formula gets a leading quote,
// which Read removes.
func WriteCSV(w io.Writer, t *Table) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for j, c := range t.Columns {
		if j > 0 {
			line = append(line, ',')
		}
		line = appendCell(line, []byte(Guard(c.Name)), ',', j == 0)
	}
	for i := range t.Rows {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
		for j, c := range t.Columns {
			if j > 0 {
				line = append(line, ',')
			}
			line = c.appendTo(line, i, j == 0)
		}
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// Text returns the cell of one row as WriteCSV writes it, without quotes; "" where it is missing.
func (c *Column) Text(row int) string {
	if c.Numeric() && !math.IsNaN(c.Num[row]) {
		return string(c.appendNumber(nil, c.Num[row], c.level(row)))
	}
	return c.level(row)
}

// level returns the text that is kept of a row; "" where none is.
func (c *Column) level(row int) string {
	if c.Code != nil && c.Code[row] >= 0 {
		return c.Levels[c.Code[row]]
	}
	return ""
}

// appendTo appends the cell of one row.
func (c *Column) appendTo(line []byte, row int, first bool) []byte {
	text := c.level(row)
	if c.Numeric() {
		if v := c.Num[row]; !math.IsNaN(v) {
			return c.appendNumber(line, v, text)
		}
	}
	return appendCell(line, []byte(Guard(text)), ',', first)
}

// appendNumber appends a value, in its uploaded spelling if that reads back to the same value.
func (c *Column) appendNumber(line []byte, v float64, text string) []byte {
	if c.Type == Date {
		return append(line, formatDate(v)...)
	}
	if u, ok := ParseNumber(text, "."); ok && u == v {
		return append(line, text...)
	}
	return appendFloat(line, v)
}

// appendFloat appends the shortest text that reads back as v, without an exponent where that is short.
func appendFloat(dst []byte, v float64) []byte {
	if a := math.Abs(v); a == 0 || a >= 1e-5 && a < 1e15 {
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// appendCell appends text, quoted where necessary. An empty first cell is quoted too, so that the row does not
// look like a blank line.
func appendCell(dst, text []byte, delim byte, first bool) []byte {
	if len(text) == 0 && !first {
		return dst
	}
	blank := len(text) == 0 || text[0] <= ' ' || text[len(text)-1] <= ' '
	if !blank && bytes.IndexByte(text, delim) < 0 && !bytes.ContainsAny(text, "\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

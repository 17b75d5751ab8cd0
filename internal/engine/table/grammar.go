package table

import "bytes"

// grammar says how text is split into cells: RFC 4180 with any delimiter and line end, and with blanks allowed
// around a quoted cell.
type grammar struct {
	delim, eol byte // eol '\n' accepts "\r\n" too; '\r' only when the file has no other
	quotes     bool // the double quote encloses cells
}

// fault is what is wrong with a cell.
type fault uint8

const (
	fine     fault = iota
	stray          // a quote inside an unquoted cell, or text after a closing quote
	unclosed       // a quote that is never closed
)

// field reads the cell at b[i:]. It returns its content, which lies in b or in *buf, and the position of the
// delimiter or line end after it (len(b) at the end). Of a faulty cell it returns what can be read.
func (g *grammar) field(b []byte, i int, buf *[]byte) (cell []byte, next int, bad fault) {
	k := i
	if g.quotes {
		for k < len(b) && b[k] == ' ' && g.delim != ' ' {
			k++
		}
		if k < len(b) && b[k] == '"' {
			return g.quoted(b, k+1, buf)
		}
	}
	for ; k < len(b); k++ {
		c := b[k]
		if c == g.delim || c == g.eol {
			break
		}
		if c == '"' && g.quotes {
			bad = stray
		}
	}
	return b[i : k-g.cr(b, i, k)], k, bad
}

// cr returns 1 when the cell b[i:k] ends a line with "\r\n".
func (g *grammar) cr(b []byte, i, k int) int {
	if k > i && b[k-1] == '\r' && g.eol == '\n' && (k == len(b) || b[k] == '\n') {
		return 1
	}
	return 0
}

// quoted reads the rest of a cell after its opening quote.
func (g *grammar) quoted(b []byte, i int, buf *[]byte) (cell []byte, next int, bad fault) {
	k, doubled := i, false
	for {
		q := bytes.IndexByte(b[k:], '"')
		if q < 0 {
			return b[i:], len(b), unclosed
		}
		k += q
		if k+1 == len(b) || b[k+1] != '"' {
			break
		}
		k, doubled = k+2, true
	}
	cell = b[i:k]
	if doubled {
		*buf = undouble((*buf)[:0], cell)
		cell = *buf
	}
	k++
	for after := k; k < len(b) && b[k] != g.delim && b[k] != g.eol; k++ {
		if b[k] != ' ' && g.cr(b, after, k+1) == 0 && bad == fine {
			if bad = stray; bytes.IndexByte(cell, g.eol) >= 0 {
				bad = unclosed // the text reaches into the next quoted cell
			}
		}
	}
	return cell, k, bad
}

// undouble appends s to dst with each doubled quote replaced by one.
func undouble(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		dst = append(dst, s[i])
		if s[i] == '"' {
			i++
		}
	}
	return dst
}

// blank returns the length of the blank line at b[i:], including its end, or 0.
func (g *grammar) blank(b []byte, i int) int {
	k := i
	for k < len(b) && (b[k] == ' ' || b[k] == '\t' && g.delim != '\t' || b[k] == '\r' && g.eol == '\n') {
		k++
	}
	switch {
	case k == len(b):
		return k - i
	case b[k] == g.eol:
		return k + 1 - i
	}
	return 0
}

// place is the position of one cell in the text, including quotes and padding.
type place struct{ from, to int }

// record reads the cells of the record at b[i:], at most max of them, into cells, and their positions into
// spans; both slices are reused. It returns the position after the line end, the number of cells in the record,
// and the first fault.
func (g *grammar) record(b []byte, i, max int, cells *[]string, spans *[]place) (next, n int, bad fault) {
	*cells, *spans = (*cells)[:0], (*spans)[:0]
	var buf []byte
	for {
		cell, k, f := g.field(b, i, &buf)
		if bad == fine {
			bad = f
		}
		if n < max {
			*cells = append(*cells, string(cell))
			*spans = append(*spans, place{i, k - g.cr(b, i, k)})
		}
		n++
		if k == len(b) {
			return k, n, bad
		}
		i = k + 1
		if b[k] == g.eol {
			return i, n, bad
		}
	}
}

// trim removes blanks around a cell, including no-break spaces and line ends.
func trim(b []byte) []byte {
	if len(b) == 0 || b[0] > ' ' && b[0] < 0x80 && b[len(b)-1] > ' ' && b[len(b)-1] < 0x80 {
		return b
	}
	for {
		t := bytes.Trim(b, " \t\r\n\v\f")
		t = bytes.TrimPrefix(bytes.TrimSuffix(t, []byte("\u00a0")), []byte("\u00a0"))
		t = bytes.TrimPrefix(bytes.TrimSuffix(t, []byte("\ufeff")), []byte("\ufeff"))
		if len(t) == len(b) {
			return t
		}
		b = t
	}
}

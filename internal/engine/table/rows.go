package table

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// A RowReader returns the records of a file unchanged, with the same numbering of rows as Read: both leave out
// blank records and empty records at the end. Together with a RowWriter it appends columns to a file and keeps
// everything else byte for byte.
//
// Read refuses a ragged file; a RowReader returns such rows as they are.
type RowReader struct {
	l    *layout
	at   int // offset of the next record
	line int // file line of the next record
}

// A Row is one record. Its slices are valid until the next call of Read.
type Row struct {
	Cells []string // contents without quotes, not trimmed
	Line  int      // file line it starts on, from 1
	raw   []byte
	place []place // position of each cell in raw
}

// NewRowReader determines the dialect as Read does. For an Excel workbook the records are those of its sheet.
func NewRowReader(ctx context.Context, data []byte, d Dialect, lim Limits) (*RowReader, error) {
	l, err := detect(ctx, data, d, lim.orDefault())
	if err != nil {
		return nil, err
	}
	if err := l.refuse(); err != nil {
		return nil, err
	}
	l.formats()
	return &RowReader{l: l, at: l.body.from, line: l.line(l.body.from)}, nil
}

// Header returns the column names as Read gives them.
func (r *RowReader) Header() []string { return append([]string(nil), r.l.names...) }

// Dialect returns the dialect as used.
func (r *RowReader) Dialect() Dialect { return r.l.d }

// Read returns the next row, or io.EOF after the last.
func (r *RowReader) Read(row *Row) error {
	b := r.l.text[:r.l.body.to]
	for k := r.l.g.blank(b, r.at); k > 0; k = r.l.g.blank(b, r.at) {
		r.at, r.line = r.at+k, r.line+1
	}
	if r.at >= len(b) {
		return io.EOF
	}
	r.fill(row, place{r.at, len(b)}, r.line)
	r.at += len(row.raw)
	r.line += bytes.Count(row.raw, []byte{r.l.g.eol})
	return nil
}

// fill reads the record at p.from into row.
func (r *RowReader) fill(row *Row, p place, line int) {
	b := r.l.text[p.from:p.to]
	end, _, _ := r.l.g.record(b, 0, 1<<30, &row.Cells, &row.place)
	row.raw, row.Line = b[:end], line
}

// A RowWriter writes the rows of a RowReader with appended columns in their original dialect: delimiter, line
// ends, encoding, byte order mark, "sep=" line, titles above the header. Text that a spreadsheet would read as
// a formula gets a leading quote; nothing else changes.
type RowWriter struct {
	w    io.Writer
	r    *RowReader
	eol  []byte
	line []byte
	out  []byte
}

// NewRowWriter writes what precedes the first row. The names are appended to the header, with _2 where a name
// is taken. A file without a header gets none, or with named one of the names that a reader gives its columns.
func NewRowWriter(w io.Writer, r *RowReader, appended []string, named bool) (*RowWriter, error) {
	rw := &RowWriter{w: w, r: r, eol: r.l.lineBreak()}
	l := r.l
	if l.bom {
		rw.out = fromUTF8(rw.out, []byte("\ufeff"), l.d.Encoding)
	}
	rw.line = append(rw.line, l.text[:l.sep]...)
	head := l.head
	if head.to == 0 {
		head = place{l.body.from, l.body.from}
	}
	rw.titles(place{l.sep, head.from})
	if head.to > head.from || named {
		if head.to > head.from {
			var row Row
			r.fill(&row, place{head.from, head.to}, 0)
			rw.cells(&row)
		} else {
			rw.line = append(rw.line, strings.Join(l.names, l.d.Delimiter)...) // c1, c2, …
		}
		for _, name := range rw.fresh(appended) {
			rw.add([]byte(Guard(name)))
		}
		rw.line = append(rw.line, rw.eol...)
	}
	return rw, rw.flush()
}

// lineBreak returns the first line end of the file.
func (l *layout) lineBreak() []byte {
	i := bytes.IndexByte(l.text, l.g.eol)
	switch {
	case l.g.eol == '\r':
		return []byte("\r")
	case i > 0 && l.text[i-1] == '\r':
		return []byte("\r\n")
	}
	return []byte("\n")
}

// titles copies the lines above the header.
func (w *RowWriter) titles(p place) {
	g := w.r.l.g
	for i := p.from; i < p.to; {
		if k := g.blank(w.r.l.text[:p.to], i); k > 0 {
			w.line = append(w.line, w.r.l.text[i:i+k]...)
			i += k
			continue
		}
		var row Row
		w.r.fill(&row, place{i, p.to}, 0)
		w.cells(&row)
		w.line = append(w.line, w.eol...)
		i += len(row.raw)
	}
}

// fresh makes the names of the appended columns differ from those of the file.
func (w *RowWriter) fresh(names []string) []string {
	used, count := map[string]bool{}, map[string]int{}
	for _, n := range w.r.l.names {
		used[n] = true
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fresh(n, used, count)
	}
	return out
}

// Write writes a row with the appended cells.
func (w *RowWriter) Write(row *Row, appended ...string) error {
	w.cells(row)
	for _, a := range appended {
		w.add([]byte(Guard(a)))
	}
	w.line = append(w.line, w.eol...)
	return w.flush()
}

// Number formats a value with the file's decimal mark.
func (w *RowWriter) Number(v float64) string {
	b := appendFloat(nil, v)
	if w.r.l.d.Decimal == "," {
		b = bytes.Replace(b, []byte("."), []byte(","), 1)
	}
	return string(b)
}

// delim returns the delimiter of the file.
func (w *RowWriter) delim() byte { return w.r.l.d.Delimiter[0] }

// cells appends the row's original cells.
func (w *RowWriter) cells(row *Row) {
	for j, p := range row.place {
		if j > 0 {
			w.line = append(w.line, w.delim())
		}
		raw := row.raw[p.from:p.to]
		if j == len(row.place)-1 && w.r.l.g.eol == '\n' {
			// The reader takes the last two bytes of "\r\r\n" as the line end. The remaining "\r" would end the
			// line before the new cells.
			raw = bytes.TrimRight(raw, "\r")
		}
		if cell := row.Cells[j]; needsGuard(cell) {
			at := bytes.IndexByte(raw, cell[0]) // after padding and quote
			w.line = append(append(append(w.line, raw[:at]...), '\''), raw[at:]...)
			continue
		}
		w.line = append(w.line, raw...)
	}
}

// add appends one new cell.
func (w *RowWriter) add(cell []byte) {
	w.line = append(w.line, w.delim())
	w.line = appendCell(w.line, cell, w.delim(), false)
}

// flush writes the line in the file's encoding.
func (w *RowWriter) flush() error {
	w.out = fromUTF8(w.out, w.line, w.r.l.d.Encoding)
	_, err := w.w.Write(w.out)
	w.line, w.out = w.line[:0], w.out[:0]
	return err
}

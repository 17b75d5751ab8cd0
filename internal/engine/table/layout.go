package table

import (
	"bytes"
	"context"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// layout is the text of a file with everything about its form decided.
type layout struct {
	*source
	g      grammar
	sep    int      // length of the "sep=;" line
	head   place    // position of the header's record; empty without a header
	body   place    // position of the data records
	names  []string // one per column, unique
	above  int      // lines skipped above a table without header
	tail   int      // rows of nothing but delimiters, removed from the end
	sample []record // the first data records
	binary int      // offset of the first NUL, −1 if there is none

	headBad   fault
	markOpen  bool // no text of the sample shows which decimal mark is used
	grouped   bool // a thousands separator was detected
	ambiguous bool // … and it could be the decimal mark
}

// record is one record of the sample.
type record struct {
	cells []string
	n     int // number of cells, which may exceed those kept
	line  int // file line it starts on, from 1
	place
	bad fault
}

// Limits of what detection reads.
const (
	sampleRows  = 1000
	sampleBytes = 1 << 20
	maxCell     = 1 << 20
)

// detect decides the form of a file.
func detect(ctx context.Context, data []byte, d Dialect, lim Limits) (*layout, error) {
	s, err := open(ctx, data, d, lim)
	if err != nil {
		return nil, err
	}
	l := &layout{source: s}
	l.g = grammar{eol: lineEnd(s.text, s.d.Quote != "none"), quotes: s.d.Quote != "none"}
	l.sepLine()
	if err := l.delimiter(ctx, lim); err != nil {
		return nil, err
	}
	l.binary = bytes.IndexByte(l.text, 0)
	l.body = place{l.sep, len(l.text)}
	l.cutTail()
	if err := l.header(lim); err != nil {
		return nil, err
	}
	return l, nil
}

// lineEnd returns '\r' when the first unquoted line end is a single one.
func lineEnd(text []byte, quotes bool) byte {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = quotes && !quoted
		case '\n':
			if !quoted {
				return '\n'
			}
		case '\r':
			for i+1 < len(text) && text[i+1] == '\r' {
				i++
			}
			if !quoted && (i+1 == len(text) || text[i+1] != '\n') {
				return '\r'
			}
		}
	}
	if quoted && bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0 {
		return '\r'
	}
	return '\n'
}

// sepLine reads Excel's hint about the delimiter in the first line.
func (l *layout) sepLine() {
	end := bytes.IndexByte(l.text, l.g.eol)
	if end < 0 || end > 16 {
		return
	}
	line := bytes.Trim(bytes.TrimRight(l.text[:end], "\r"), `"`)
	if len(line) < 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return
	}
	d := string(line[4:5])
	if rest := bytes.Trim(line[5:], ",;|\t "); len(rest) > 0 || check(Dialect{Delimiter: d}) != nil {
		return
	}
	l.sep = end + 1
	if l.d.Delimiter == "" {
		l.d.Delimiter = d
	}
}

// take reads up to rows records of p and keeps at most max cells of each; line is the file line of p's first
// byte.
func (l *layout) take(g grammar, p place, rows, max, line int) []record {
	for k := g.blank(l.text[:p.to], p.from); k > 0; k = g.blank(l.text[:p.to], p.from) {
		p.from, line = p.from+k, line+1
	}
	var list []record
	b := l.text[:min(p.to, p.from+sampleBytes)]
	for i := p.from; i < len(b) && len(list) < rows; {
		if k := g.blank(b, i); k > 0 {
			i, line = i+k, line+1
			continue
		}
		r := record{line: line}
		var places []place
		r.to, r.n, r.bad = g.record(b, i, max, &r.cells, &places)
		r.from = i
		if r.to == len(b) && len(b) < p.to && len(list) > 0 {
			break
		}
		list = append(list, r)
		line += bytes.Count(b[i:r.to], []byte{g.eol})
		i = r.to
	}
	return list
}

// cutTail removes what follows the last record with content: blank lines, and lines of nothing but delimiters,
// which spreadsheets append.
func (l *layout) cutTail() {
	b := l.text[:l.body.to]
	for len(b) > l.sep {
		end := len(b)
		if b[end-1] == l.g.eol {
			end--
		}
		from := bytes.LastIndexByte(b[:end], l.g.eol) + 1
		line := bytes.TrimRight(b[from:end], "\r")
		if len(bytes.Trim(line, " \t"+string(l.g.delim))) > 0 {
			break
		}
		if bytes.IndexByte(line, l.g.delim) >= 0 {
			l.tail++
		}
		b = b[:max(from, l.sep)]
	}
	l.body.to = len(b)
}

// line returns the file line of an offset in text.
func (l *layout) line(off int) int { return 1 + bytes.Count(l.text[:off], []byte{l.g.eol}) }

func tooWide(limit int) error {
	return usererr.New(usererr.TooLarge, "The file has more than %s columns: that is the limit."+
		" Leave out columns, or start Taper with a higher -max-columns.", phrase.Int(limit))
}

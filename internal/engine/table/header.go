package table

import (
	"bytes"
	"fmt"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// header finds the header and names the columns. Afterwards body starts at the first data record.
func (l *layout) header(lim Limits) error {
	first := l.take(l.g, l.body, 200, lim.Columns+1, 1+btoi(l.sep > 0))
	if len(first) == 0 {
		return usererr.New(usererr.Invalid, "The file is empty.")
	}
	if err := l.headFits(first[0], lim); err != nil {
		return err
	}
	at, err := l.headerAt(first)
	if err != nil {
		return err
	}
	if at.line == 0 {
		l.body.from = at.from
		l.names = numbered(at.n)
	} else {
		l.head, l.body.from, l.headBad = at.place, at.to, at.bad
		l.names = l.unique(at.cells)
		l.rowNames(at)
	}
	if len(l.names) > lim.Columns {
		return tooWide(lim.Columns)
	}
	line := at.line
	l.d.HeaderRow = &line
	l.body.to = max(l.body.to, l.body.from)
	l.sample = l.take(l.g, l.body, sampleRows, len(l.names), l.line(l.body.from))
	return nil
}

// headFits returns an error if the first record is too long for a header.
func (l *layout) headFits(r record, lim Limits) error {
	if r.n > lim.Columns {
		return tooWide(lim.Columns)
	}
	if r.to < l.body.to && r.to-r.from >= sampleBytes {
		return usererr.New(usererr.TooLarge, "Line %d is longer than %s bytes: is it a table, and are its quotes closed?",
			r.line, phrase.Int(sampleBytes))
	}
	return nil
}

// headerAt returns the header's record. If there is no header it returns line 0, with the first data record and
// the number of columns.
func (l *layout) headerAt(first []record) (record, error) {
	if l.d.HeaderRow != nil {
		return l.headerAsked(*l.d.HeaderRow, first)
	}
	k := titles(first)
	if !hasHeader(first[k], first[k+1:]) {
		line, r := first[k].line, l.headless(first, k)
		l.warns = append(l.warns, Warning{
			Code: "no-header", Level: "ask",
			Message: fmt.Sprintf("No header was found: the columns are named c1…c%d. Is line %d data?", r.n, line),
			Choices: []Choice{
				{Label: "Keep line " + fmt.Sprint(line) + " as data", Dialect: &Dialect{HeaderRow: new(int)}},
				{Label: "Use line " + fmt.Sprint(line) + " as header", Dialect: &Dialect{HeaderRow: &line}},
			},
		})
		return r, nil
	}
	switch {
	case k > 0:
		l.warns = append(l.warns, headerWarning(first[k].line, first[0].line))
	case len(first) > 2 && secondHeader(first[1], first[2:]):
		l.warns = append(l.warns, secondHeaderWarning(first[0].line, first[1].line))
	}
	return first[k], nil
}

// secondHeader reports whether the record below the header names columns as well: it has words in most columns that
// have nothing but numbers below. One repeated text may be a remark ("not done"), so two different ones are needed.
func secondHeader(r record, below []record) bool {
	numeric, named, words := 0, 0, map[string]bool{}
	for j, cell := range r.cells {
		numbers, texts := 0, 0
		for _, b := range below {
			if j >= len(b.cells) {
				continue
			}
			switch t := strings.TrimSpace(b.cells[j]); {
			case CodeOfMissing(t):
			case looksNumeric(t):
				numbers++
			default:
				texts++
			}
		}
		if numbers == 0 || 20*texts > numbers {
			continue
		}
		numeric++
		// A digit first is a measurement with its unit ("12 mg").
		cell = strings.TrimSpace(cell)
		if word := strings.TrimLeft(cell, "<>≤≥=~ "); word == cell && !CodeOfMissing(cell) && !looksNumeric(cell) &&
			!strings.ContainsAny(cell[:1], "0123456789") {
			named++
			words[cell] = true
		}
	}
	return len(words) > 1 && 2*named > numeric
}

func secondHeaderWarning(line, second int) Warning {
	return Warning{
		Code: "second-header", Level: "ask",
		Message: fmt.Sprintf("Line %[2]d looks like a second header: it has words where the rows below have numbers. Which "+
			"line has the names of the columns? If it is line %[1]d, remove line %[2]d and upload the file again.",
			line, second),
		Choices: []Choice{
			{Label: fmt.Sprintf("Use line %d", second), Dialect: &Dialect{HeaderRow: &second}},
			{Label: fmt.Sprintf("Use line %d", line), Dialect: &Dialect{HeaderRow: &line}},
		},
	}
}

// headless treats the k-th record as the first data record.
func (l *layout) headless(first []record, k int) record {
	l.above = k
	r := first[k]
	r.line = 0
	return r
}

func headerWarning(line, first int) Warning {
	return Warning{
		Code: "header-row", Level: "ask",
		Message: fmt.Sprintf("The header looks like line %d. Use it?", line),
		Choices: []Choice{
			{Label: fmt.Sprintf("Use line %d", line), Dialect: &Dialect{HeaderRow: &line}},
			{Label: fmt.Sprintf("Use line %d", first), Dialect: &Dialect{HeaderRow: &first}},
			{Label: "No header", Dialect: &Dialect{HeaderRow: new(int)}},
		},
	}
}

// headerAsked returns the record on the line that the user named.
func (l *layout) headerAsked(line int, first []record) (record, error) {
	if line == 0 {
		return l.headless(first, titles(first)), nil
	}
	off := 0
	for n := 1; n < line; n++ {
		k := bytes.IndexByte(l.text[off:], l.g.eol)
		if k < 0 {
			return record{}, usererr.BadField("header_row", "is %d: the file has %d lines", line, n)
		}
		off += k + 1
	}
	list := l.take(l.g, place{off, max(off, l.body.to)}, 1, 1<<16, line)
	if len(list) == 0 {
		return record{}, noRows()
	}
	return list[0], nil
}

func noRows() error {
	return usererr.New(usererr.Invalid,
		"No data rows below the header: add rows, or name another line as the header.")
}

// titles counts the records above the header: those with fewer cells than the table or nearly all cells blank,
// and without numbers.
func titles(first []record) int {
	widths := make([]int, len(first))
	for i, r := range first {
		widths[i] = r.n
	}
	w, _ := modal(widths)
	for k, r := range first[:min(len(first), 20)] {
		full, number := 0, false
		for _, c := range r.cells {
			c = strings.TrimSpace(c)
			full += btoi(c != "")
			number = number || looksNumeric(c)
		}
		if r.n == w-1 && r.n > 1 && full == r.n && !number && k+2 < len(first) && !hasHeader(first[k+1], first[k+2:]) {
			return k // a header that is one name short, see rowNames
		}
		if r.n >= w && (w < 3 || full > max(1, w/4) || number) {
			return k
		}
		if number {
			return 0
		}
	}
	return 0
}

// hasHeader reports whether the first record names columns. Each column with numbers below counts as one vote:
// a word above them for a header, a number against. So does each column with few distinct texts: a text that
// also occurs below is data.
func hasHeader(head record, below []record) bool {
	names, values := 0, 0
	for j, cell := range head.cells {
		cell = strings.TrimSpace(cell)
		numbers, texts, again := 0, 0, 0
		for _, r := range below {
			if j >= len(r.cells) {
				continue
			}
			switch t := strings.TrimSpace(r.cells[j]); {
			case CodeOfMissing(t):
			case looksNumeric(t):
				numbers++
			case t == cell:
				texts, again = texts+1, again+1
			default:
				texts++
			}
		}
		switch {
		case looksNumeric(cell):
			values++
		case CodeOfMissing(cell):
		case numbers > texts:
			names++
		case again > 0:
			values++
		}
	}
	return values == 0 || names > 0 && 3*names >= values
}

// looksNumeric reports whether a text is a number with either decimal mark.
func looksNumeric(t string) bool {
	_, k := number([]byte(t), format{mark: '.'})
	return k.reads() || k == kindMark || k == kindThousands
}

// rowNames shifts the names by one column when every row has one cell more than the header, since R writes row
// names without a header. If the last cell is always blank, the extra cell comes from a delimiter at the end of
// the line instead.
func (l *layout) rowNames(head record) {
	below := l.take(l.g, place{head.to, l.body.to}, 200, head.n+2, 1)
	if len(below) < 10 {
		return
	}
	blank := true
	for _, r := range below {
		if r.n != head.n+1 {
			return
		}
		blank = blank && strings.TrimSpace(r.cells[head.n]) == ""
	}
	if blank {
		l.names = l.unique(append(l.names, ""))
		return
	}
	l.names = l.unique(append([]string{""}, l.names...))
}

func (f fault) String() string {
	switch f {
	case stray:
		return "stray quote"
	case unclosed:
		return "unclosed quote"
	}
	return "fine"
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

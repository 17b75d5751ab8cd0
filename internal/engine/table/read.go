package table

import (
	"context"
	"errors"
	"fmt"

	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// Read converts a whole file to typed columns. It keeps no reference to data.
//
// An error that a user can correct is a *usererr.Error with a sentence; doubts are in Table.Warnings. The
// result depends on data and opt alone, not on the number of processors.
func Read(ctx context.Context, data []byte, opt Options, lim Limits) (*Table, error) {
	return read(ctx, data, opt, lim, chunkBytes)
}

// read is Read with chunks of about size bytes.
func read(ctx context.Context, data []byte, opt Options, lim Limits, size int) (*Table, error) {
	lim = lim.orDefault()
	l, err := detect(ctx, data, opt.Dialect, lim)
	if err != nil {
		return nil, err
	}
	if err := l.refuse(); err != nil {
		return nil, err
	}
	r := &reader{layout: l, opt: opt, lim: lim, size: size}
	cols, err := r.columns(ctx)
	if err != nil {
		return nil, err
	}
	if l.markOpen && late(cols) { // the sample had only whole numbers
		opt.Dialect.Decimal = ","
		return read(ctx, data, opt, lim, size)
	}
	if lim.memory != nil && r.d.Copies == CopiesFirst { // for the digests of all rows
		if _, err := cost.Hold(ctx, "Reading this file", cost.Of(48, cols[0].rows)); err != nil {
			return nil, err
		}
	}
	t := r.table(cols)
	return t, lim.memory.failed()
}

// orDefault replaces zero fields by their defaults.
func (l Limits) orDefault() Limits {
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	if l.Rows <= 0 {
		l.Rows = DefaultLimits.Rows
	}
	if l.Columns <= 0 {
		l.Columns = DefaultLimits.Columns
	}
	return l
}

// refuse returns an error if the layout already shows that the file cannot be read.
func (l *layout) refuse() error {
	if l.binary >= 0 {
		if l.binary < l.body.from {
			return usererr.New(usererr.Invalid, "Line %d holds binary data: save the table as CSV UTF-8.", l.line(l.binary))
		}
		row, buf := 0, []byte(nil)
		for i := l.body.from; i <= l.binary; {
			if k := l.g.blank(l.text, i); k > 0 {
				i += k
				continue
			}
			i, _, _, _ = l.g.skip(l.text, i, &buf)
			row++
		}
		return usererr.New(usererr.Invalid, "Row %d holds binary data: save the table as CSV UTF-8.", row).At(row, "")
	}
	if l.headBad != fine {
		return usererr.New(usererr.Invalid, "Line %d, the header: %s.", *l.d.HeaderRow, l.headBad)
	}
	if l.body.from >= l.body.to || len(l.sample) == 0 {
		return noRows()
	}
	return nil
}

// late reports whether decimal commas, and no points, occur only after the sample.
func late(cols []*merged) bool {
	commas := 0
	for _, m := range cols {
		if m.marks > 0 {
			return false
		}
		commas += m.seen[kindMark]
	}
	return commas > 0
}

// reader runs the passes over one file.
type reader struct {
	*layout
	opt     Options
	lim     Limits
	size    int
	plans   []plan
	dropped []Drop
}

// columns parses the file: numbers in the first pass; in a second pass the texts of columns that turned out not
// to be numeric.
func (r *reader) columns(ctx context.Context) ([]*merged, error) {
	r.plan()
	cols, err := r.pass(ctx, r.plans, "Reading the rows")
	if err != nil {
		return nil, err
	}
	again := false
	second := append([]plan(nil), r.plans...)
	for j, m := range cols {
		redo := m.numbers && !m.settled()
		second[j].numbers, second[j].skip = false, !redo
		again = again || redo
	}
	if !again {
		return cols, nil
	}
	for j := range second {
		if !second[j].skip {
			cols[j] = nil // freed before the next pass allocates
		}
	}
	texts, err := r.pass(ctx, second, "Reading the columns of text")
	if err != nil {
		return nil, err
	}
	for j, m := range texts {
		if !second[j].skip {
			cols[j] = m
		}
	}
	return cols, nil
}

// plan decides how to parse each column.
func (r *reader) plan() {
	formats := r.formats()
	r.plans = make([]plan, len(r.names))
	for j, name := range r.names {
		p := plan{name: name, f: formats[j], spec: ColumnSpec{Name: name}}
		for _, s := range r.opt.Columns {
			if s.Name == name {
				p.spec = s
			}
		}
		if p.bare = p.f.mark; p.bare == r.g.delim {
			p.bare = 0
		}
		p.memory = r.lim.memory
		p.miss = newMissing(r.d.Missing, p.spec.MissingCodes, p.f)
		p.numbers = r.guessNumbers(j, p)
		r.plans[j] = p
	}
	if r.d.Missing == nil {
		r.d.Missing = append([]string(nil), DefaultMissing...)
	}
}

// guessNumbers reports whether column j of the sample looks numeric.
func (r *reader) guessNumbers(j int, p plan) bool {
	switch p.spec.Type {
	case Number, Integer:
		return true
	case Category, Text, Identifier, Date, Boolean:
		return false
	}
	m := merged{plan: p}
	for _, rec := range r.sample {
		if j >= len(rec.cells) {
			continue
		}
		if t := p.bareText([]byte(rec.cells[j])); !p.miss.has(t) {
			v, k := number(t, p.f)
			m.num = append(m.num, v)
			m.seen[k]++
			m.zeros += btoi(k.reads() && leadingZero(t))
			m.marks += btoi(k.reads() && hasMark(t, p.f.mark))
		}
	}
	m.rows = len(m.num)
	return m.rows == 0 || m.numeric() && m.numberType() != Identifier
}

// pass parses every record according to the plans.
func (r *reader) pass(ctx context.Context, plans []plan, doing string) ([]*merged, error) {
	p := &parser{layout: r.layout, plans: plans, skip: r.d.BadRows == "skip"}
	chunks := r.split(r.body, r.size)
	total, exact, err := r.rows(ctx, chunks)
	p.exact = exact
	if err != nil {
		return nil, err
	}
	store := newStore(plans, total)
	if err := r.lim.memory.failed(); err != nil {
		return nil, err
	}
	cols := make([][]cells, len(chunks))
	bad := make([]*broken, len(chunks))
	drops := make([][]dropped, len(chunks))
	start := make([]int, len(chunks))
	for k := 1; k < len(chunks); k++ {
		start[k] = start[k-1] + chunks[k-1].lines
	}
	done := r.lim.Report.start(doing, r.body.to-r.body.from)
	parallel.Each(len(chunks), 0, func(_, k int) {
		cols[k] = store.cells(start[k], start[k]+chunks[k].lines)
		bad[k], drops[k] = p.parse(ctx, &chunks[k], cols[k])
		done.add(chunks[k].to - chunks[k].from)
	})
	if err := errors.Join(ctx.Err(), r.lim.memory.failed()); err != nil {
		return nil, err
	}
	if err := r.holdTexts(ctx, cols); err != nil {
		return nil, err
	}
	row := 0
	for k, c := range chunks {
		if bad[k] != nil {
			return nil, p.sentence(bad[k], row+bad[k].record+1)
		}
		row += c.rows + c.skips
	}
	r.dropped = p.drops(chunks, drops)
	return store.merge(chunks, cols), nil
}

// textBytes estimates the memory of a short text that occurs once in its column: the text itself, its entry in
// the dictionary of its chunk, and its entry in that of the column.
const textBytes = 160

// holdTexts reserves the memory of short texts that ReadMemory does not include, before the chunks are joined.
func (r *reader) holdTexts(ctx context.Context, cols [][]cells) error {
	texts := 0
	for _, chunk := range cols {
		for i := range chunk {
			if d := chunk[i].dict; d != nil {
				texts += len(d.text)
			}
		}
	}
	paid := textsPaid(int64(len(r.text)))
	if r.lim.memory != nil {
		paid = 0
	}
	_, err := cost.Hold(ctx, "Reading this file", cost.Of(textBytes, texts)-paid)
	return err
}

// textsPaid is the part of ReadMemory that covers texts; the rest is for the file and its numbers.
func textsPaid(size int64) int64 { return (readTimes - 2) * size }

// rows returns an upper bound of the number of rows, within the limits, and whether it counts good records
// only.
func (r *reader) rows(ctx context.Context, chunks []chunk) (total int, exact bool, err error) {
	sum := func() (n int) {
		for _, c := range chunks {
			n += c.lines
		}
		return n
	}
	total = sum()
	if most := 1 + (r.body.to-r.body.from)/len(r.names); total > r.lim.Rows || total > most {
		if err := r.recount(ctx, chunks); err != nil { // a record of n cells takes at least n bytes
			return 0, true, err
		}
		total, exact = sum(), true
	}
	if total > r.lim.Rows {
		return 0, exact, usererr.New(usererr.TooLarge, "The file has %s rows: the limit is %s."+
			" Leave out rows, or start Taper with a higher -max-rows.", phrase.Int(total),
			phrase.Int(r.lim.Rows))
	}
	return total, exact, nil
}

// drops reports the dropped records, by their number of cells.
func (p *parser) drops(chunks []chunk, drops [][]dropped) []Drop {
	var list []Drop
	if p.above > 0 {
		list = append(list, Drop{DropAbove, "Lines above the table.", p.above})
	}
	if p.tail > 0 {
		list = append(list, Drop{DropTail, "Empty rows at the end of the file.", p.tail})
	}
	total, first := 0, ""
	row := 0
	for k, c := range chunks {
		for _, d := range drops[k] {
			if total++; total == 1 {
				first = fmt.Sprintf("Row %d has %s, expected %d.", row+d.record+1, phrase.Count(d.cells, "cell"), len(p.plans))
			}
		}
		row += c.rows + c.skips
	}
	if total > 1 {
		first += fmt.Sprintf(" So have %s.", phrase.Count(total-1, "other row"))
	}
	if total > 0 {
		list = append(list, Drop{DropRagged, first, total})
	}
	return list
}

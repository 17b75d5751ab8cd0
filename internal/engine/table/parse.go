package table

import (
	"context"
	"fmt"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// parser fills columns from chunks.
type parser struct {
	*layout
	plans []plan
	skip  bool // drop ragged records; otherwise they are an error
	exact bool // only good records have room in cols, so a record is checked before it is stored
}

// broken is the first fault that makes a chunk unreadable.
type broken struct {
	record int // index of the record in the chunk, including dropped ones
	off    int // offset of the record in text
	column int
	cells  int // number of cells of a ragged record, otherwise 0
	bad    fault
}

// dropped is a record that was left out: its index in the chunk, and its number of cells.
type dropped struct{ record, cells int }

// parse reads one chunk into cols, whose slices cover the rows of the chunk.
func (p *parser) parse(ctx context.Context, c *chunk, cols []cells) (*broken, []dropped) {
	b := p.text[:c.to]
	var buf []byte
	var drops []dropped
	row, record := 0, 0
	for i := c.from; i < len(b); record++ {
		if k := p.g.blank(b, i); k > 0 {
			i, record = i+k, record-1
			continue
		}
		if record&1023 == 0 && ctx.Err() != nil {
			break
		}
		if p.skip || p.exact {
			end, n, bad, at := p.g.skip(b, i, &buf)
			if bad != fine {
				return &broken{record, i, min(at, len(cols)-1), 0, bad}, drops
			}
			if n != len(cols) && !p.skip {
				return &broken{record, i, 0, n, fine}, drops
			}
			if n != len(cols) {
				drops = append(drops, dropped{record, n})
				i = end
				continue
			}
		}
		end, bad := p.record(b, i, row, cols, &buf)
		if bad != nil {
			bad.record = record
			return bad, drops
		}
		i, row = end, row+1
	}
	c.rows, c.skips = row, len(drops)
	for j := range cols {
		cols[j].settle()
	}
	return nil, drops
}

// settle moves the codes of a numeric column, which were collected on the heap, to where columns lie.
func (c *cells) settle() {
	if c.plan.memory == nil || !c.numbers || c.dict == nil {
		return
	}
	code := c.memory.codes(len(c.code))
	copy(code, c.code)
	c.code = code
}

// record reads the record at b[start:] into a row of cols. This is the hot loop: most cells are plain numbers,
// which are parsed in place without copying.
func (p *parser) record(b []byte, start, row int, cols []cells, buf *[]byte) (end int, bad *broken) {
	g, i := p.g, start
	for j := range cols {
		col, plain := &cols[j], false
		if col.numbers {
			from, mark := i, col.bare
			if g.quotes && i < len(b) && b[i] == '"' {
				from, mark = i+1, col.f.mark
			}
			v, k, saw := fastNumber(b, from, mark)
			end := k
			if from > i && k < len(b) && b[k] == '"' {
				end++
			}
			if plain = k > 0 && end-k == from-i && g.ends(b, end); plain {
				col.number(row, v, b[from:k], saw)
				i = g.pastCR(b, end)
			}
		}
		if !plain {
			cell, k, f := g.field(b, i, buf)
			if f != fine || len(cell) > maxCell {
				return 0, &broken{off: start, column: j, bad: f}
			}
			if !col.skip {
				col.text(row, cell)
			}
			i = k
		}
		last := i == len(b) || b[i] == g.eol
		if i++; last != (j == len(cols)-1) {
			_, n, f, at := g.skip(b, start, buf)
			if f != fine {
				return 0, &broken{off: start, column: min(at, len(cols)-1), bad: f}
			}
			return 0, &broken{off: start, cells: n}
		}
	}
	return i, nil
}

// pastCR returns the position after the \r of a \r\n at b[k], otherwise k.
func (g *grammar) pastCR(b []byte, k int) int {
	if k < len(b) && b[k] == '\r' && g.eol == '\n' {
		return k + 1
	}
	return k
}

// ends reports whether a cell ends at b[k].
func (g *grammar) ends(b []byte, k int) bool {
	return k == len(b) || b[k] == g.delim || b[k] == g.eol || b[k] == '\r' && g.cr(b, k, k+1) == 1
}

// sentence words the error for a broken record, given its data row.
func (p *parser) sentence(f *broken, row int) error {
	line := fmt.Sprintf(" It is line %d of the file.", p.line(f.off))
	if f.cells > 0 {
		return usererr.New(usererr.Invalid, "Row %d has %s, expected %d.%s", row, phrase.Count(f.cells, "cell"), len(p.plans),
			line).At(row, "")
	}
	name := p.plans[f.column].name
	if f.bad != fine {
		return usererr.New(usererr.Invalid, "Row %d, column %s: %s.%s", row, name, f.bad, line).At(row, name)
	}
	return usererr.New(usererr.TooLarge, "Row %d, column %s: a cell of more than %s bytes.%s", row, name,
		phrase.Int(maxCell), line).At(row, name)
}

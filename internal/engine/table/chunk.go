package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"

	"taper/internal/engine/parallel"
)

// chunk is a sequence of whole records that one goroutine parses.
type chunk struct {
	place
	lines int // upper bound of its number of records; exact after recount
	rows  int // records kept, set by parsing
	skips int // records dropped
}

// chunkBytes is the size of a chunk: much larger than a record, but parsed quickly enough that cancelling takes
// effect soon.
const chunkBytes = 4 << 20

// split cuts p at record boundaries into chunks of about size bytes. A line end is a boundary when an even
// number of quotes precedes it. That is right in every well-formed file; in others all chunks before the first
// fault are cut correctly, so the first fault is still reported at its place.
func (l *layout) split(p place, size int) []chunk {
	n := max(1, (p.to-p.from+size-1)/size)
	odd := make([]bool, n) // parity of the quotes in each piece
	pieces := make([]place, n)
	for k := range pieces {
		pieces[k] = place{p.from + k*size, min(p.to, p.from+(k+1)*size)}
	}
	if l.g.quotes {
		parallel.Each(n, 0, func(_, k int) {
			odd[k] = bytes.Count(l.text[pieces[k].from:pieces[k].to], []byte{'"'})%2 == 1
		})
	}
	var chunks []chunk
	start, quoted := p.from, false
	for k, q := range pieces {
		if k > 0 {
			if at := l.boundary(max(start, q.from), q.from, p.to, quoted); at > start {
				chunks = append(chunks, chunk{place: place{start, at}})
				start = at
			}
		}
		quoted = quoted != odd[k]
	}
	chunks = append(chunks, chunk{place: place{start, p.to}})
	parallel.Each(len(chunks), 0, func(_, k int) { chunks[k].lines = l.count(chunks[k].place) })
	return chunks
}

// boundary returns the first start of a record after from; quoted says whether offset base lies inside quotes.
func (l *layout) boundary(from, base, to int, quoted bool) int {
	for i := base; i < to; i++ {
		switch c := l.text[i]; {
		case c == '"' && l.g.quotes:
			quoted = !quoted
		case c == l.g.eol && !quoted && i+1 > from:
			return i + 1
		}
	}
	return to
}

// count returns the number of lines in p that end outside quotes, plus one if the last line has no end.
func (l *layout) count(p place) int {
	b := l.text[p.from:p.to]
	if len(b) == 0 {
		return 0
	}
	if !l.g.quotes {
		return bytes.Count(b, []byte{l.g.eol}) + btoi(b[len(b)-1] != l.g.eol)
	}
	// Eight characters at a time: the low bit of each byte tells of one character.
	const each = 0x0101010101010101
	n, quoted, i := 0, uint64(0), 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		inside := equal(w, '"')*each + quoted*each // how many quotes there are up to each character: odd inside
		n += bits.OnesCount64(equal(w, l.g.eol) &^ inside)
		quoted = inside >> 56 & 1
	}
	for _, c := range b[i:] {
		quoted ^= uint64(btoi(c == '"'))
		n += btoi(c == l.g.eol && quoted == 0)
	}
	return n + btoi(quoted == 1 || b[len(b)-1] != l.g.eol)
}

// equal returns a word whose bytes are 1 where those of w are c, and 0 elsewhere.
func equal(w uint64, c byte) uint64 {
	const each, rest = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	w ^= uint64(c) * each
	return ^((w&rest + rest) | w | rest) >> 7
}

// recount makes lines exact for a file with blank or short lines, whose columns would otherwise be allocated
// for far more rows than it has.
func (l *layout) recount(ctx context.Context, chunks []chunk) error {
	parallel.Each(len(chunks), 0, func(_, k int) {
		c := &chunks[k]
		b, buf := l.text[c.from:c.to], []byte(nil)
		c.lines = 0
		for i := 0; i < len(b) && ctx.Err() == nil; {
			if k := l.g.blank(b, i); k > 0 {
				i += k
				continue
			}
			next, n, _, _ := l.g.skip(b, i, &buf)
			c.lines += btoi(n == len(l.names))
			i = next
		}
	})
	return ctx.Err()
}

// skip returns the position after the record at b[i:], its number of cells, and the first fault with the index
// of its cell.
func (g *grammar) skip(b []byte, i int, buf *[]byte) (next, n int, bad fault, at int) {
	for {
		_, k, f := g.field(b, i, buf)
		if f != fine && bad == fine {
			bad, at = f, n
		}
		n++
		if k == len(b) {
			return k, n, bad, at
		}
		i = k + 1
		if b[k] == g.eol {
			return i, n, bad, at
		}
	}
}

package table

import "hash/maphash"

// dict numbers distinct texts in order of first appearance.
type dict struct {
	slot  []int32  // open addressing: index into text plus one, 0 for empty; the length is a power of two
	hash  []uint32 // one per text
	text  []string
	count []int // number of cells with this text
	last  int32 // the text added before: equal cells often follow each other
	seed  maphash.Seed
}

// add counts one cell of text b and returns its number.
func (d *dict) add(b []byte) int32 {
	if int(d.last) < len(d.text) && d.text[d.last] == string(b) {
		d.count[d.last]++
		return d.last
	}
	id := d.find(b)
	d.count[id]++
	d.last = id
	return id
}

// find returns the number of text b, which it adds without cells if it is new.
func (d *dict) find(b []byte) int32 {
	if 2*len(d.text) >= len(d.slot) {
		d.grow()
	}
	h, mask := uint32(maphash.Bytes(d.seed, b)), uint32(len(d.slot)-1)
	at := h & mask
	for ; d.slot[at] != 0; at = (at + 1) & mask {
		if id := d.slot[at] - 1; d.hash[id] == h && d.text[id] == string(b) {
			return id
		}
	}
	id := int32(len(d.text))
	d.slot[at] = id + 1
	d.hash, d.text, d.count = append(d.hash, h), append(d.text, string(b)), append(d.count, 0)
	return id
}

// grow doubles the slots.
func (d *dict) grow() {
	if d.slot == nil {
		d.seed = maphash.MakeSeed()
	}
	d.slot = make([]int32, max(16, 2*len(d.slot)))
	mask := uint32(len(d.slot) - 1)
	for id, h := range d.hash {
		at := h & mask
		for d.slot[at] != 0 {
			at = (at + 1) & mask
		}
		d.slot[at] = int32(id) + 1
	}
}

// tally counts a few distinct texts and remembers the first row of each.
type tally struct {
	at   map[string]int
	list []tallied
	over bool // more than tallyMax texts: the counts are incomplete
}

type tallied struct {
	text  string
	kind  kind
	count int
	row   int // first data row, from 0
}

// tallyMax is the largest number of distinct texts that a tally counts.
const tallyMax = 4096

// add counts n cells of a text, first seen in row.
func (t *tally) add(text []byte, k kind, n, row int) {
	if i, ok := t.at[string(text)]; ok {
		t.list[i].count += n
		t.list[i].row = min(t.list[i].row, row)
		return
	}
	if len(t.list) == tallyMax {
		t.over = true
		return
	}
	if t.at == nil {
		t.at = map[string]int{}
	}
	t.at[string(text)] = len(t.list)
	t.list = append(t.list, tallied{string(text), k, n, row})
}

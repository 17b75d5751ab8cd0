package table

import (
	"math"
	"math/bits"
	"sync"

	"taper/internal/engine/pages"
)

// distinct counts the distinct values of x and the values that are not NaN. Most columns have few distinct values,
// for which a hash table in the cache does. Of the others those of few decimals are ticked off in a list of bits. The
// rest are dealt to buckets by their hashes and counted bucket by bucket: in one table for all of a long column every
// value would wait for the memory.
func distinct(x []float64) (different, n int) {
	d := desks.Get().(*desk)
	defer desks.Put(d)
	few := values{slot: d.slots(1 << bits.Len(uint(min(2*len(x), tableMost-1))))}
	for _, v := range x {
		if v != v {
			continue
		}
		n++
		if few.put(bitsOf(v)) {
			if few.n++; 2*few.n > tableMost {
				if different, n, ok := d.ticked(x); ok {
					return different, n
				}
				return d.many(x)
			}
		}
	}
	return few.n, n
}

// ticked is distinct for values of few decimals in a range that is not wide, as most measurements are: each is a
// multiple of a power of ten, and is ticked off in a list of bits. ok is false where the values are not such ones.
func (d *desk) ticked(x []float64) (different, n int, ok bool) {
	lo, hi, _ := Extremes(x)
	scale := 1.
	for i, tried := 0, 0; i < len(x) && tried < 64; i++ { // the power that a few values need
		v := x[i]
		if v != v {
			continue
		}
		for tried++; math.Floor(v*scale+0.5)/scale != v; {
			if scale *= 10; scale > 1e6 {
				return 0, 0, false
			}
		}
	}
	multiple := func(v float64) float64 { return math.Floor(v*scale + 0.5) }
	first, last := multiple(lo), multiple(hi)
	if !(math.Abs(first) < 1<<52 && math.Abs(last) < 1<<52 && last-first < ticksMost) {
		return 0, 0, false
	}
	ticks := d.room(int(last-first)/64 + 1)
	clear(ticks)
	for _, v := range x {
		if v != v {
			continue
		}
		m := multiple(v)
		if m/scale != v {
			return 0, 0, false
		}
		at := uint(m - first)
		word := &ticks[at/64]
		different += int(^*word >> (at % 64) & 1)
		*word |= 1 << (at % 64)
		n++
	}
	return different, n, true
}

// room returns so many words, which hold anything.
func (d *desk) room(n int) []uint64 {
	if cap(d.dealt) < n {
		d.dealt = pages.Make[uint64](n)
	}
	return d.dealt[:n]
}

const (
	tableMost  = 1 << 15 // slots: 256 kB
	bucketSize = 1 << 12 // values that a bucket has on average
	bucketMost = 12      // bits of a hash that distinguish buckets
	ticksMost  = 1 << 24 // bits in the list of those that occur: 2 MB
	dealtMost  = 1 << 22 // values that are dealt at a time: a longer column is read several times
)

// A desk is the memory for counting one column after another.
type desk struct {
	table []uint64 // of few values, or of a bucket
	dealt []uint64 // the values of a column, bucket after bucket, or bits of those that occur
}

var desks = sync.Pool{New: func() any { return &desk{table: make([]uint64, tableMost)} }}

// slots returns n empty slots.
func (d *desk) slots(n int) []uint64 {
	clear(d.table[:n])
	return d.table[:n]
}

// many is distinct for any number of values.
func (d *desk) many(x []float64) (different, n int) {
	shift := 64 - min(bits.Len(uint(len(x)/bucketSize)), bucketMost)
	size := make([]int, 1<<(64-shift))
	for _, v := range x {
		if v == v {
			n++
			size[spread(bitsOf(v))>>shift]++
		}
	}
	for from := 0; from < len(size); {
		to, sum := from, 0
		for to < len(size) && (to == from || sum+size[to] <= dealtMost) {
			sum, to = sum+size[to], to+1
		}
		dealt := d.room(sum)
		deal(x, shift, from, size[from:to], dealt)
		at := 0
		for _, n := range size[from:to] {
			table := values{slot: d.slots(4 * bucketSize), used: 64 - shift}
			for _, u := range dealt[at : at+n] {
				table.add(u)
			}
			different, at = different+table.n, at+n
		}
		from = to
	}
	return different, n
}

// deal writes the values of some buckets, the first of which has number from, one bucket after another.
func deal(x []float64, shift, from int, size []int, to []uint64) {
	next, sum := make([]int, len(size)), 0
	for k, n := range size {
		next[k], sum = sum, sum+n
	}
	for _, v := range x {
		if v != v {
			continue
		}
		u := bitsOf(v)
		if k := int(spread(u)>>shift) - from; k >= 0 && k < len(next) {
			to[next[k]] = u
			next[k]++
		}
	}
}

// bitsOf returns the bits of a number, which are 0, the mark of an empty slot, for none: 0 and −0, which are
// equal, have those of a NaN.
func bitsOf(v float64) uint64 {
	if v == 0 {
		return 0x7ff8000000000001
	}
	return math.Float64bits(v)
}

// spread is the hash of a value: both halves of a product, since a whole number has zeros in its low bits.
func spread(u uint64) uint64 {
	high, low := bits.Mul64(u, 0x9e3779b97f4a7c15)
	return high ^ low
}

// values is a set of values, by open addressing.
type values struct {
	slot []uint64 // 0 marks an empty one; their number is a power of two
	used int      // high bits of a hash that all values share
	n    int
}

// add adds a value to as many as there may be.
func (s *values) add(u uint64) {
	if !s.put(u) {
		return
	}
	if s.n++; 2*s.n > len(s.slot) {
		old := s.slot
		s.slot = make([]uint64, 4*len(old))
		for _, u := range old {
			if u != 0 {
				s.put(u)
			}
		}
	}
}

// put reports whether a value is new. It writes a new one to the place that its hash names, or to the next empty one.
func (s *values) put(u uint64) bool {
	mask := uint64(len(s.slot) - 1)
	for at := spread(u) << s.used >> (bits.LeadingZeros64(mask) & 63); ; at++ {
		switch s.slot[at&mask] {
		case u:
			return false
		case 0:
			s.slot[at&mask] = u
			return true
		}
	}
}

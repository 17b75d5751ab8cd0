package table

import (
	"math"
	"math/bits"
	"sync"
)

// distinct counts the distinct values of x and the values that are not NaN. It starts with a hash table that
// fits the first-level cache and switches to one large enough for all of x once that is half full: most columns
// have few distinct values.
func distinct(x []float64) (different, n int) {
	slot := make([]uint64, 1<<10)
	for i, v := range x {
		if v != v {
			continue
		}
		if 2*different == len(slot) {
			return distinctMany(x[i:], slot, different, n)
		}
		n++
		different += btoi(insert(slot, math.Float64bits(v+0))) // v + 0 turns −0 into 0
	}
	return different, n
}

// tables are reused, because one is as large as a column.
var tables = sync.Pool{New: func() any { return new([]uint64) }}

// distinctMany continues with the rest of x after the small table has filled up.
func distinctMany(x []float64, before []uint64, different, n int) (int, int) {
	size := 1 << bits.Len(uint(len(x)+len(before))*5/4)
	table := tables.Get().(*[]uint64)
	defer tables.Put(table)
	if cap(*table) < size {
		*table = make([]uint64, size)
	}
	slot := (*table)[:size]
	clear(slot)
	for _, v := range before {
		if v != emptySlot {
			insert(slot, v)
		}
	}
	for _, v := range x {
		if v == v {
			n++
			different += btoi(insert(slot, math.Float64bits(v+0)))
		}
	}
	return different, n
}

// emptySlot marks an empty slot: the bits of 0.
const emptySlot = 0

// insert adds a value to an open-addressing table and reports whether it is new. Zero, whose bits mark an empty
// slot, is stored as a NaN.
func insert(slot []uint64, v uint64) bool {
	if v == emptySlot {
		v = 0x7ff8000000000001
	}
	mask := uint64(len(slot) - 1)
	spread := v * 0x9e3779b97f4a7c15 // Fibonacci hashing: the high bits are well mixed
	for at := spread >> (bits.LeadingZeros64(mask) & 63); ; at = (at + 1) & mask {
		switch slot[at] {
		case v:
			return false
		case emptySlot:
			slot[at] = v
			return true
		}
	}
}

package stat

import (
	"math"
	"slices"
	"sort"
)

// radixFrom is the length from which a radix sort is faster despite its two work arrays.
const radixFrom = 1 << 13

// sortFloats sorts x, which must not contain NaN, in place. Long slices are radix sorted on their bits in six
// stable passes of 11 bits: with pdqsort, sorting would take most of the time of AUC and KDE.
func sortFloats(x []float64) {
	if len(x) < radixFrom {
		slices.Sort(x)
		return
	}
	const width, passes = 11, 6
	from, to := make([]uint64, len(x)), make([]uint64, len(x))
	var count [passes][1 << width]int
	for i, v := range x {
		k := key(v)
		from[i] = k
		for p := range passes {
			count[p][k>>(width*p)&(1<<width-1)]++
		}
	}
	for p := range passes {
		c := &count[p]
		if c[from[0]>>(width*p)&(1<<width-1)] == len(x) {
			continue // all values have the same digit
		}
		sum := 0
		for d := range c {
			c[d], sum = sum, sum+c[d]
		}
		for _, k := range from {
			d := k >> (width * p) & (1<<width - 1)
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	for i, k := range from {
		x[i] = unkey(k)
	}
}

// key maps floats to integers in the same order, −0 before 0.
func key(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// unkey inverts key.
func unkey(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}

// ranks finds single order statistics of a long slice without sorting it: it counts the values by the first 16 bits of
// their keys, and sorts only the group with the value asked for.
type ranks struct {
	x      []float64
	before []int             // values in smaller groups; the last element is the number of all values
	sorted map[int][]float64 // groups that were asked for
}

const groupBits = 16

func newRanks(x []float64) *ranks {
	r := &ranks{x: x, before: make([]int, 1<<groupBits+1), sorted: map[int][]float64{}}
	for _, v := range x {
		r.before[key(v)>>(64-groupBits)+1]++
	}
	for g := range 1 << groupBits {
		r.before[g+1] += r.before[g]
	}
	return r
}

// at returns the i-th smallest value, from 0 on.
func (r *ranks) at(i int) float64 {
	g := sort.SearchInts(r.before, i+1) - 1
	s, found := r.sorted[g]
	if !found {
		s = make([]float64, 0, r.before[g+1]-r.before[g])
		for _, v := range r.x {
			if int(key(v)>>(64-groupBits)) == g {
				s = append(s, v)
			}
		}
		sortFloats(s)
		r.sorted[g] = s
	}
	return s[i-r.before[g]]
}

package audit

import (
	"math"
	"slices"
)

// Neighbour is a row close to another one.
type Neighbour struct {
	At       int     // position in the design
	Distance float64 // Euclidean, in standardised terms
}

// Nearest returns, for each group, the k rows nearest to position at, in order of distance,
// ties by position. The row itself and rows with a negative group are left out. The design is
// row-major with cols columns and is read once.
func Nearest(design []float64, cols, at, k, groups int, group func(int) int) [][]Neighbour {
	x := design[at*cols : (at+1)*cols]
	best := make([][]Neighbour, groups) // ascending by squared distance
	limit := slices.Repeat([]float64{math.Inf(1)}, groups)
	for i := range len(design) / cols {
		g := group(i)
		if i == at || g < 0 {
			continue
		}
		d := within(x, design[i*cols:(i+1)*cols], limit[g])
		if d >= limit[g] {
			continue
		}
		best[g] = insert(best[g], Neighbour{i, d}, k)
		if len(best[g]) == k {
			limit[g] = best[g][k-1].Distance
		}
	}
	for _, list := range best {
		for i := range list {
			list[i].Distance = math.Sqrt(list[i].Distance)
		}
	}
	return best
}

// insert inserts a neighbour after those as near, and keeps at most k.
func insert(list []Neighbour, n Neighbour, k int) []Neighbour {
	to := len(list)
	for to > 0 && list[to-1].Distance > n.Distance {
		to--
	}
	list = slices.Insert(list, to, n)
	return list[:min(k, len(list))]
}

// within is the squared distance of two rows, or a partial sum once it exceeds limit.
func within(x, y []float64, limit float64) float64 {
	sum := 0.0
	for len(x) >= 8 {
		for j := range 8 {
			d := x[j] - y[j]
			sum += d * d
		}
		if sum >= limit {
			return sum
		}
		x, y = x[8:], y[8:]
	}
	for j, v := range x {
		d := v - y[j]
		sum += d * d
	}
	return sum
}

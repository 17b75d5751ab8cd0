package audit

import (
	"cmp"
	"math"
	"slices"
)

// Neighbour is a row near another one.
type Neighbour struct {
	At       int     // position in the design
	Distance float64 // Euclidean, in standardised terms
}

// Nearest returns the k rows nearest to position at among those that pass, the
// nearest first and of equals the first; at itself is left out. The design is
// row-major with cols columns.
func Nearest(design []float64, cols, at, k int, pass func(int) bool) []Neighbour {
	x := design[at*cols : (at+1)*cols]
	var best []Neighbour // ascending, squared
	limit := math.Inf(1)
	for i := range len(design) / cols {
		if i == at || !pass(i) {
			continue
		}
		d := within(x, design[i*cols:(i+1)*cols], limit)
		if d >= limit {
			continue
		}
		to, _ := slices.BinarySearchFunc(best, d, func(n Neighbour, d float64) int {
			if n.Distance <= d {
				return -1
			}
			return cmp.Compare(n.Distance, d)
		})
		best = slices.Insert(best, to, Neighbour{i, d})
		if len(best) > k {
			best = best[:k]
		}
		if len(best) == k {
			limit = best[k-1].Distance
		}
	}
	for i := range best {
		best[i].Distance = math.Sqrt(best[i].Distance)
	}
	return best
}

// within is the squared distance of two rows; once it is beyond the limit the
// rest does not matter.
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

// Contribution is what one term adds to a score.
type Contribution struct {
	Term   int
	Toward float64 // the other label; under 0 it speaks for the own one
}

// Contributions returns the k terms of a linear score that speak most for the
// other label: −y·w_j·x_j, with y = ±1 the own label. All of them add up to
// −y·(f − b).
func Contributions(w, x []float64, y float64, k int) []Contribution {
	if len(w) != len(x) {
		panic("audit: one weight a term is needed")
	}
	all := make([]Contribution, len(w))
	for j := range w {
		all[j] = Contribution{j, -y * w[j] * x[j]}
	}
	slices.SortStableFunc(all, func(a, b Contribution) int { return cmp.Compare(b.Toward, a.Toward) })
	return all[:min(k, len(all))]
}

package stat

import (
	"cmp"
	"slices"
)

// CoveragePoint is the accuracy among the rows with a confidence of at least Threshold.
type CoveragePoint struct {
	Threshold float64  `json:"threshold"`
	N         int      `json:"n"`
	Coverage  float64  `json:"coverage"` // share of all rows
	Accuracy  Estimate `json:"accuracy"` // Wilson 95 %
}

// Coverage returns accuracy against the share of rows answered, where the least confident rows are left
// unanswered first (El-Yaniv and Wiener 2010). Rows of equal confidence are answered together. At most points
// points are returned, evenly spread over coverage, the last with every row. It panics on fewer than two
// points.
func Coverage(confidence []float64, right []bool, points int) []CoveragePoint {
	sameLength(len(confidence), len(right))
	order := descending(confidence)
	n := len(order)
	var all []CoveragePoint
	hits := 0
	for i, row := range order {
		if right[row] {
			hits++
		}
		v := confidence[row]
		if i+1 < n && confidence[order[i+1]] == v {
			continue
		}
		all = append(all, CoveragePoint{v, i + 1, float64(i+1) / float64(n), Proportion(hits, i+1)})
	}
	return thin(all, points, func(c CoveragePoint) float64 { return c.Coverage })
}

// descending returns the rows by decreasing value; equal ones keep their order.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return order
}

// thin returns at most points elements of all, including the first and the last, evenly spread over at, which
// must be increasing.
func thin[T any](all []T, points int, at func(T) float64) []T {
	if points < 2 {
		panic("stat: a curve needs two points")
	}
	if len(all) <= points {
		return all
	}
	first, last := at(all[0]), at(all[len(all)-1])
	kept := all[:1:1]
	for i := 1; i < len(all)-1 && len(kept) < points-1; i++ {
		if goal := first + (last-first)*float64(len(kept))/float64(points-1); at(all[i]) >= goal {
			kept = append(kept, all[i])
		}
	}
	return append(kept, all[len(all)-1])
}

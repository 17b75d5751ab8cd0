package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/phrase"
)

// MostGroups is the largest number of levels by which rows are grouped without asking.
const MostGroups = 12

// Groups names the groups of a column: its levels, numbers ascending, or the terciles of a numeric column over these
// rows. of returns the group of a table row. Rows with a missing value form a group of their own.
func (c *Column) Groups(rows []int) (names []string, of func(row int) int) {
	if c.Code != nil && len(c.Levels) <= MostGroups {
		order := ascending(c.Levels)
		at := make([]int, len(order))
		for place, k := range order {
			names, at[k] = append(names, c.Levels[k]), place
		}
		return append(names, "(missing)"), func(row int) int {
			if k := c.Code[row]; k >= 0 {
				return at[k]
			}
			return len(c.Levels)
		}
	}
	if c.Num == nil {
		return []string{"(all)"}, func(int) int { return 0 }
	}
	var values []float64
	for _, row := range rows {
		if v := c.Num[row]; !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	if len(values) == 0 {
		return []string{"(missing)"}, func(int) int { return 0 }
	}
	low, high := values[len(values)/3], values[2*len(values)/3]
	text := func(v float64) string { return phrase.Significant(v, 4) }
	names = []string{"under " + text(low), text(low) + " to under " + text(high), text(high) + " and more", "(missing)"}
	return names, func(row int) int {
		switch v := c.Num[row]; {
		case math.IsNaN(v):
			return 3
		case v < low:
			return 0
		case v < high:
			return 1
		}
		return 2
	}
}

// ascending returns the indices of the levels, sorted where all are numbers.
func ascending(levels []string) []int {
	order, value := make([]int, len(levels)), make([]float64, len(levels))
	for k, level := range levels {
		v, err := strconv.ParseFloat(level, 64)
		if order[k], value[k] = k, v; err != nil {
			for k := range order {
				order[k] = k
			}
			return order
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
	return order
}

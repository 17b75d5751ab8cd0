package table

import (
	"math"
	"slices"

	"taper/internal/engine/phrase"
)

// MostGroups is the largest number of levels by which rows are grouped without asking.
const MostGroups = 12

// Groups names the groups of a column: its levels, or the terciles of a numeric column over these rows. of
// returns the group of a table row. Rows with a missing value form a group of their own.
func (c *Column) Groups(rows []int) (names []string, of func(row int) int) {
	if c.Code != nil && len(c.Levels) <= MostGroups {
		names = append(slices.Clone(c.Levels), "(missing)")
		return names, func(row int) int {
			if k := c.Code[row]; k >= 0 {
				return int(k)
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

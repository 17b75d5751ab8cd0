package format

import (
	"math"
	"strings"
)

// OfColumns says whose counts InClasses writes.
const OfColumns = "by class, as the columns"

// InClasses is the small print of a count: those of its rows in each class.
func InClasses(counts []string) string { return "(" + strings.Join(counts, " · ") + ")" }

// Decimals are those with which a predictor’s quartiles in each class are written, nil ones left
// out: three digits or so of the largest number, and at least two of the widest distance between
// quartiles, so that 1.5152 and 1.5179 are not both 1.52. Whole numbers have none.
func Decimals(quartiles ...*[3]float64) int {
	top, spread, whole := 0.0, 0.0, true
	for _, q := range quartiles {
		if q == nil {
			continue
		}
		for _, v := range q {
			top, whole = math.Max(top, math.Abs(v)), whole && v == math.Trunc(v)
		}
		spread = math.Max(spread, q[2]-q[0])
	}
	if whole || !(top > 0) || math.IsInf(top, 0) {
		return 0
	}
	decimals := 2 - int(math.Floor(math.Log10(top)))
	if spread > 0 {
		decimals = max(decimals, 1-int(math.Floor(math.Log10(spread))))
	}
	return max(0, min(6, decimals))
}

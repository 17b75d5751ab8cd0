package format

import (
	"math"
	"strings"
)

// OfColumns explains the counts of InClasses.
const OfColumns = "by class, as the columns"

// InClasses are the counts of each class, in brackets.
func InClasses(counts []string) string { return "(" + strings.Join(counts, " · ") + ")" }

// Decimals is the number of decimals for a predictor’s quartiles by class, where nil classes do not count: about
// three digits of the largest number, and at least two digits of the largest distance between quartiles, so that
// 1.5152 and 1.5179 do not both become 1.52. Whole numbers have none.
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

package task

import (
	"math"
	"slices"
)

// Target is the outcome, converted to classes.
type Target struct {
	Levels []string  // names of the classes
	Codes  [][]int32 // per class, the codes of the column that belong to it; nil with Cuts
	Cuts   []float64 // of a numeric outcome, ascending: the class is the number of cuts below the value
	// Event says that class 1 is an event, whose risk is predicted. Both parts of every split
	// must then contain both classes; otherwise only the training part must contain every
	// class.
	Event bool
}

// Class is the class of a row of the outcome column, −1 if it has none. value is NaN for a
// column that is not numeric.
func (t *Target) Class(code int32, value float64) int {
	if t.Cuts == nil {
		return slices.IndexFunc(t.Codes, func(codes []int32) bool { return slices.Contains(codes, code) })
	}
	if math.IsNaN(value) {
		return -1
	}
	return Bin(t.Cuts, value)
}

// Has reports whether rows with this code can belong to a class.
func (t *Target) Has(code int32) bool { return t.Cuts != nil || t.Class(code, math.NaN()) >= 0 }

// Bin is the class of a value: the number of cuts below it.
func Bin(cuts []float64, v float64) int {
	n, _ := slices.BinarySearch(cuts, v)
	return n
}

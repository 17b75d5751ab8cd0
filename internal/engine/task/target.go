package task

import (
	"math"
	"slices"
)

// Target is an outcome turned into classes.
type Target struct {
	Levels []string  // names of the classes
	Codes  [][]int32 // of each class: the codes of the column that count as it; nil with Cuts
	Cuts   []float64 // of a number, ascending: a value is in the class of the number of cuts below it
	// Event says that class 1 is an event, whose risk is what a model is for. Every part
	// of a division then holds both classes; without, every part that trains does.
	Event bool
}

// Class is the class of a row of the outcome column, −1 of none; the value is NaN
// where the column is no number.
func (t *Target) Class(code int32, value float64) int {
	if t.Cuts == nil {
		return slices.IndexFunc(t.Codes, func(codes []int32) bool { return slices.Contains(codes, code) })
	}
	if math.IsNaN(value) {
		return -1
	}
	return Bin(t.Cuts, value)
}

// Has reports whether rows of a code can be of a class.
func (t *Target) Has(code int32) bool { return t.Cuts != nil || t.Class(code, math.NaN()) >= 0 }

// Bin is the class of a value: the number of cuts below it.
func Bin(cuts []float64, v float64) int {
	n, _ := slices.BinarySearch(cuts, v)
	return n
}

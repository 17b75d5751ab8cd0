// Package loss holds the losses of the five papers and their baselines.
//
// Conventions, stated once: y is a class numbered from 0; s = ±1 the sign of a
// two-class label; f a score or a vector of potentials; z = s·f the margin. A
// slope is a derivative with respect to z, a gradient one with respect to f.
// At a kink any subgradient is right.
package loss

import "strconv"

// Margin is a two-class loss of the margin. It takes s because the interval
// surrogate differs between the classes.
type Margin interface {
	Value(s, z float64) float64
	Slope(s, z float64) float64 // one subgradient at a kink
}

var _ Margin = Interval{}

func indexed(field string, j int) string { return field + "[" + strconv.Itoa(j) + "]" }

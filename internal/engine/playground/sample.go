// Package playground is the engine of the playground: a sample of points, label noise on the
// training points, two models, and for each model its surface in two columns, the weights of
// the points, the loss at their margins, and clean accuracy.
//
// Noise never changes the sample itself, a higher rate corrupts a superset of the points, and
// clean accuracy is measured on clean labels of rows that were not trained on; generators draw
// thousands of such rows.
//
// Conventions: classes count from 0; of two classes 1 is the event. The order of a sample's
// rows never changes. Values are immutable after construction, and bit-identical for a seed on
// any number of cores.
package playground

import (
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Limits of a sample and of its fresh rows.
const (
	MinRows    = 4
	MaxRows    = 5000
	MaxColumns = 128
	FreshRows  = 5000 // clean test rows drawn from a generator
)

// Sample is the points before any noise.
type Sample struct {
	Columns []string      // of X
	X       linear.Matrix // one row per point
	Class   []int         // the true class
	Levels  []string      // names of the classes, in order
	Ordered bool          // the classes have an order
	Roles   []string      // names of the points' roles; nil = none
	Role    []int         // role of each point
	HeldOut []bool        // test points, never trained on; nil = none

	FreshX     linear.Matrix // test rows from the same generator; may be empty
	FreshClass []int

	margins memo // of the clean training points
}

// check requires training rows of every class.
func (s *Sample) check() (*Sample, error) {
	switch n, d := s.X.Rows, s.X.Cols; {
	case n < MinRows:
		return nil, usererr.New(usererr.Invalid, "%d points are too few to fit: add points until there are %d.", n, MinRows)
	case n > MaxRows:
		return nil, usererr.New(usererr.Invalid,
			"%d points are too many to refit while you drag: use at most %d.",
			n, MaxRows)
	case d < 2:
		return nil, usererr.New(usererr.Invalid, "One column is not enough for a surface: choose two columns that vary.")
	case d > MaxColumns:
		return nil, usererr.New(usererr.Invalid,
			"%d columns are too many to refit while you drag: use at most "+
				"%d, or two of them.", d, MaxColumns)
	}
	seen := make([]bool, len(s.Levels))
	for i, c := range s.Class {
		if !s.held(i) {
			seen[c] = true
		}
	}
	if c := slices.Index(seen, false); c >= 0 {
		return nil, usererr.New(usererr.Invalid, "No training point has the class %s: use more points, or a smaller test "+
			"share.",
			s.Levels[c])
	}
	return s, nil
}

func (s *Sample) held(i int) bool { return s.HeldOut != nil && s.HeldOut[i] }

// TrainingRows lists the indices of the training rows.
func (s *Sample) TrainingRows() []int {
	var rows []int
	for i := range s.Class {
		if !s.held(i) {
			rows = append(rows, i)
		}
	}
	return rows
}

// TestSet says which rows clean accuracy is measured on.
type TestSet string

// The kinds of test sets.
const (
	TestFresh    TestSet = "fresh"    // fresh rows from the same generator
	TestHeldOut  TestSet = "held"     // those held out
	TestTraining TestSet = "training" // the training points with their true labels, if there are no others
)

// TestSet is the kind of test set of the sample.
func (s *Sample) TestSet() TestSet {
	switch {
	case s.HeldOut != nil:
		return TestHeldOut
	case s.FreshX.Rows > 0:
		return TestFresh
	}
	return TestTraining
}

// Package playground is the playground: a sample of points, noise on the labels of
// those that train, two models of them, and what each shows of itself, its
// surface in two columns, its importance of the points, its loss at their
// margins, and its accuracy on clean labels.
//
// It is opinionated about honesty: noise never changes the sample, what a rate
// corrupts every larger rate corrupts too, and clean accuracy is counted on clean
// labels of rows that did not train, of which a generator draws thousands.
//
// Conventions: classes count from 0; of two classes 1 is the event. Rows of a
// sample keep their order whatever is done to them. Everything here is made
// once and then only read, and repeats to the bit for one seed on any number of
// cores.
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
	FreshRows  = 5000 // clean rows that a generator draws for testing
)

// Sample is the points as they truly are, before any noise.
type Sample struct {
	Columns []string      // of X
	X       linear.Matrix // one row a point
	Class   []int         // the true class
	Levels  []string      // names of the classes, in order
	Ordered bool          // the classes have an order
	Roles   []string      // names of the roles that points play; nil = none
	Role    []int         // of each point, where there are roles
	HeldOut []bool        // test points, which never train; nil = none

	FreshX     linear.Matrix // rows of the same source that only test; may be empty
	FreshClass []int

	margins memo // of the clean training points
}

// check wants rows of every class among those that train.
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

// TrainingRows lists the training rows.
func (s *Sample) TrainingRows() []int {
	var rows []int
	for i := range s.Class {
		if !s.held(i) {
			rows = append(rows, i)
		}
	}
	return rows
}

// TestSet says what clean accuracy is counted on.
type TestSet string

// The test rows.
const (
	TestFresh    TestSet = "fresh"    // thousands drawn from the same source
	TestHeldOut  TestSet = "held"     // those held out
	TestTraining TestSet = "training" // the training points by their true labels, for want of others
)

// TestSet says which rows are tested.
func (s *Sample) TestSet() TestSet {
	switch {
	case s.HeldOut != nil:
		return TestHeldOut
	case s.FreshX.Rows > 0:
		return TestFresh
	}
	return TestTraining
}

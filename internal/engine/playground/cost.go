package playground

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
)

// GeneratedMemory is what a sample of a generator takes at most while it is drawn, in bytes: the table
// that its rows come from, with those that test, and both as matrices. What is wrong with n or the
// generator GenerateSample says.
func GeneratedMemory(id string, n int) int64 {
	rows := min(n, MaxRows) + FreshRows
	need, err := synth.Memory(id, rows, Recipe(id))
	if err != nil {
		return 0
	}
	return 2*need + cost.Of(200, rows)
}

// Memory is what a setting takes at most on rows of so many columns and classes, in bytes: the fit and
// its model, the steps that the scrubber keeps, the surface with its lines, and the scores of the rows
// that test.
func (s Setting) Memory(rows, columns, classes int) int64 {
	terms, outputs := columns, classes
	if classes == 2 {
		outputs = 1
	}
	switch s.Features.Kind {
	case Quadratic:
		terms = columns * (columns + 3) / 2
	case RBF:
		terms = side * side
	}
	work, model := s.Method.Spec.Memory(rows, terms, classes)
	steps := cost.Of(2*MaxFrames, 8*terms+200) + 20_000*40 // and the objective by iteration
	return work + 2*model + steps + cost.Of(8, rows+FreshRows, terms+8*outputs) + cost.Of(Side*Side, 40, outputs)
}

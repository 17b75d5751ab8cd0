package playground

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
)

// GeneratedMemory is an upper bound in bytes on the memory of drawing a sample: the generated
// table, including test rows, and both parts as matrices. Invalid arguments count as 0;
// GenerateSample reports them.
func GeneratedMemory(id string, n int) int64 {
	rows := min(n, MaxRows) + FreshRows
	need, err := synth.Memory(id, rows, Recipe(id))
	if err != nil {
		return 0
	}
	return 2*need + cost.Of(200, rows)
}

// Memory is an upper bound in bytes on the memory of a setting: the fit and its model, the
// steps kept for the scrubber, the surface with its contours, and the scores of the test rows.
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
	steps := cost.Of(2*MaxFrames, 8*terms+200) + 20_000*40 // the second term: the objective of every iteration
	return work + 2*model + steps + cost.Of(8, rows+FreshRows, terms+8*outputs) + cost.Of(Side*Side, 40, outputs)
}

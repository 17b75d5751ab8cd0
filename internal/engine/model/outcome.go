package model

import (
	"cmp"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// Class returns the index of an outcome among the model's levels (of two classes, 1 for the
// event). It follows the joins of training: joined spellings, numbers by value (1.0 is 1), bins
// by their edges. ok is false for an outcome of no class.
func (m *Model) Class(outcome string) (class int, ok bool) {
	outcome = table.Trim(outcome)
	v, numeric := table.ParseNumber(outcome, cmp.Or(m.Decimal, "."))
	if m.Bins != nil {
		return task.Bin(m.Bins, v), numeric
	}
	if to, ok := m.OutcomeAliases[outcome]; ok {
		outcome = to
	}
	is := func(level string) bool {
		w, ok := table.ParseNumber(level, cmp.Or(m.Decimal, "."))
		return outcome == level || numeric && ok && v == w || m.OutcomeJoin && table.Fold(outcome) == table.Fold(level)
	}
	if m.Multiclass() {
		class = slices.IndexFunc(m.Levels, is)
		return max(class, 0), class >= 0
	}
	// With two classes Positive can list several levels, while Levels has the names of the
	// classes.
	if slices.ContainsFunc(m.Positive, is) {
		return 1, true
	}
	return 0, slices.ContainsFunc(m.Negative, is)
}

// Event reports whether an outcome in the data is the model's event; ok is false if it belongs
// to neither class.
func (m *Model) Event(outcome string) (event, ok bool) {
	class, ok := m.Class(outcome)
	return ok && class == 1, ok
}

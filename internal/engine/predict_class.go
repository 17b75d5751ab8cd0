package engine

import (
	"slices"

	"taper/internal/engine/table"
)

// classAt returns the place of an outcome among the model's levels.
func (m *Model) classAt(outcome string) (int, bool) {
	if m.Several() {
		return m.classOf(outcome)
	}
	return m.class(outcome)
}

// class returns which of the two classes an outcome is, 1 the event, by the
// spellings that were joined in training; numbers by their value (1.0 is 1).
func (m *Model) class(outcome string) (int, bool) {
	outcome = table.Trim(outcome)
	if to, ok := m.OutcomeAliases[outcome]; ok {
		outcome = to
	}
	v, numeric := table.ParseNumber(outcome, or(m.Decimal, "."))
	is := func(level string) bool {
		w, ok := table.ParseNumber(level, or(m.Decimal, "."))
		return outcome == level || numeric && ok && v == w || m.OutcomeJoin && table.Fold(outcome) == table.Fold(level)
	}
	switch {
	case slices.ContainsFunc(m.Positive, is):
		return 1, true
	case slices.ContainsFunc(m.Negative, is):
		return 0, true
	}
	return 0, false
}

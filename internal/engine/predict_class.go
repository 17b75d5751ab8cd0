package engine

import "taper/internal/engine/table"

// classAt returns the place of an outcome among the model's levels.
func (m *Model) classAt(outcome string) (int, bool) {
	if m.Several() {
		return m.classOf(outcome)
	}
	class, ok := m.class(outcome)
	if class == m.Positive {
		return 1, ok
	}
	return 0, ok
}

// class returns which of the two classes an outcome is, by the spellings that
// were joined in training; numbers by their value (1.0 is 1).
func (m *Model) class(outcome string) (string, bool) {
	outcome = table.Trim(outcome)
	if to, ok := m.OutcomeAliases[outcome]; ok {
		outcome = to
	}
	v, numeric := table.ParseNumber(outcome, or(m.Decimal, "."))
	for _, class := range [2]string{m.Positive, m.Negative} {
		w, ok := table.ParseNumber(class, or(m.Decimal, "."))
		if outcome == class || numeric && ok && v == w || m.OutcomeJoin && table.Fold(outcome) == table.Fold(class) {
			return class, true
		}
	}
	return "", false
}

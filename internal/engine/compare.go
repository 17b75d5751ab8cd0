package engine

// Event reports whether an outcome as it stands in the data is the event of
// the model, by the spellings that were joined in training; not ok for any
// that is neither class.
func (m *Model) Event(outcome string) (event, ok bool) {
	class, ok := m.class(outcome)
	return ok && class == 1, ok
}

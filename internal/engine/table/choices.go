package table

import "slices"

// Settles reports whether the choice changes nothing and only marks the warning as answered.
func (c Choice) Settles() bool {
	return c.Column == nil && c.Dialect == nil && c.Columns == nil && c.Outcome == nil
}

// Join concatenates lists of warnings in reading order: stops, questions, notes, settled ones (Stage). Where a
// later list has the same warning, its wording is used.
func Join(lists ...[]Warning) []Warning {
	var all []Warning
	for i, list := range lists {
		for _, w := range list {
			if !repeated(w, lists[i+1:]) {
				all = append(all, w)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Warning) int { return a.Stage() - b.Stage() })
	return all
}

func repeated(w Warning, later [][]Warning) bool {
	for _, list := range later {
		if slices.ContainsFunc(list, func(o Warning) bool { return o.Key() == w.Key() }) {
			return true
		}
	}
	return false
}

// Stage is the position of a warning in reading order; check.Sort orders the warnings of a stage by harm.
func (w Warning) Stage() int {
	switch {
	case w.Settled:
		return 3
	case w.Level == "stop":
		return 0
	case w.Level == "ask":
		return 1
	}
	return 2
}

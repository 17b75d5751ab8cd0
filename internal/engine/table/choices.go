package table

import "slices"

// Settles reports whether the choice changes nothing.
func (c Choice) Settles() bool {
	return c.Column == nil && c.Dialect == nil && c.Columns == nil && c.Outcome == nil
}

// Join puts lists of warnings together in reading order: what stops, what
// asks, what informs, what is settled (Stage). Of a doubt that a later list repeats,
// the later wording stays.
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

// Stage is the place of a warning in reading order; check.Sort orders each stage by
// harm.
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

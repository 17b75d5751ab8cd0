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

// With returns the options after a choice was taken on a warning: specs and
// dialect fields the choice sets replace earlier ones, and a choice that
// changes nothing settles the warning. A choice of outcome is not an option of
// reading; the caller keeps it.
func (o Options) With(w Warning, c Choice) Options {
	o.Columns, o.Settled = slices.Clone(o.Columns), slices.Clone(o.Settled)
	if c.Settles() {
		if !slices.Contains(o.Settled, w.Key()) {
			o.Settled = append(o.Settled, w.Key())
		}
		return o
	}
	if c.Column != nil {
		o.merge(*c.Column)
	}
	for _, s := range c.Columns {
		o.merge(s)
	}
	if c.Dialect != nil {
		o.Dialect.merge(*c.Dialect)
	}
	o.Settled = slices.DeleteFunc(o.Settled, func(key string) bool { return key == w.Key() })
	return o
}

// merge replaces the fields that s sets.
func (o *Options) merge(s ColumnSpec) {
	i := slices.IndexFunc(o.Columns, func(c ColumnSpec) bool { return c.Name == s.Name })
	if i < 0 {
		o.Columns = append(o.Columns, s)
		return
	}
	c := &o.Columns[i]
	replace(&c.Type, s.Type)
	replace(&c.Role, s.Role)
	replace(&c.NonNumeric, s.NonNumeric)
	replace(&c.DateAs, s.DateAs)
	replace(&c.JoinLevels, s.JoinLevels)
	if s.MissingCodes != nil {
		c.MissingCodes = s.MissingCodes
	}
}

func (d *Dialect) merge(s Dialect) {
	replace(&d.Sheet, s.Sheet)
	replace(&d.Delimiter, s.Delimiter)
	replace(&d.Decimal, s.Decimal)
	replace(&d.Thousands, s.Thousands)
	replace(&d.Encoding, s.Encoding)
	replace(&d.Quote, s.Quote)
	replace(&d.BadRows, s.BadRows)
	if s.HeaderRow != nil {
		d.HeaderRow = s.HeaderRow
	}
	if s.Missing != nil {
		d.Missing = s.Missing
	}
}

// replace sets *field where value says something.
func replace[T comparable](field *T, value T) {
	var zero T
	if value != zero {
		*field = value
	}
}

package table

import (
	"math"
	"slices"

	"taper/internal/engine/usererr"
)

// Check reports a value that no spec can have.
func (s ColumnSpec) Check() error {
	for _, c := range []struct {
		field, value string
		allowed      []string
	}{
		{"type", string(s.Type), []string{"", string(Number), string(Integer), string(Boolean), string(Category),
			string(Date), string(Text), string(Identifier), string(Constant)}},
		{"role", string(s.Role), []string{"", string(Predictor), string(Outcome), string(Group), string(Weights),
			string(Exclude)}},
		{"non_numeric", s.NonNumeric, []string{"", "missing", "limit", "strip"}},
		{"date_as", s.DateAs, []string{"", "days"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return unknownValue(c.field, c.value, c.allowed[1:])
		}
	}
	if e := s.Extreme; e != nil {
		for _, v := range []struct {
			field string
			v     *float64
		}{{"low", e.Low}, {"high", e.High}, {"shift", &e.Shift}, {"scale", &e.Scale}} {
			if v.v != nil && !(math.Abs(*v.v) <= MaxNumber) {
				return usererr.BadField("extreme."+v.field, "must be a number between −1e150 and 1e150")
			}
		}
		if e.Low != nil && e.High != nil && *e.Low > *e.High {
			return usererr.BadField("extreme", "has a low limit above the high one")
		}
	}
	return nil
}

// Clone returns options that share no memory with o, for what decodes onto
// them in place.
func (o Options) Clone() Options {
	o.Dialect.Missing = slices.Clone(o.Dialect.Missing)
	if row := o.Dialect.HeaderRow; row != nil {
		o.Dialect.HeaderRow = new(*row)
	}
	o.Settled = slices.Clone(o.Settled)
	o.Columns = slices.Clone(o.Columns)
	for i := range o.Columns {
		o.Columns[i].MissingCodes = slices.Clone(o.Columns[i].MissingCodes)
		if e := o.Columns[i].Extreme; e != nil {
			o.Columns[i].Extreme = new(*e)
		}
	}
	return o
}

// Reading returns the part of the options that a reading depends on: roles and
// settled warnings change what is said of a table, not how it is read.
func (o Options) Reading() Options {
	o.Settled = nil
	var specs []ColumnSpec
	for _, s := range o.Columns {
		s.Role = ""
		if s.Type != "" || s.MissingCodes != nil || s.NonNumeric != "" || s.JoinLevels || s.StripQuotes || s.DateAs != "" ||
			s.Extreme != nil && s.Extreme.Acts() {
			specs = append(specs, s)
		}
	}
	o.Columns = specs
	return o
}

// Column is what is asked for a column, its name alone where nothing is.
func (o Options) Column(name string) ColumnSpec {
	if i := slices.IndexFunc(o.Columns, func(c ColumnSpec) bool { return c.Name == name }); i >= 0 {
		return o.Columns[i]
	}
	return ColumnSpec{Name: name}
}

// WithOptions returns the table as Read makes it under opt, whose Reading must be the
// one t was read with. The columns' content is shared.
func (t *Table) WithOptions(opt Options) *Table {
	out := *t
	out.Columns = make([]*Column, len(t.Columns))
	for i, c := range t.Columns {
		d := *c
		d.Spec.Role = ""
		for _, s := range opt.Columns {
			if s.Name == c.Name {
				d.Spec.Role = s.Role
			}
		}
		if d.Role = d.Spec.Role; d.Role == "" {
			d.Role = suggestRole(c)
		}
		out.Columns[i] = &d
	}
	out.Settled = opt.Settled
	out.Warnings = slices.Clone(t.Warnings)
	settle(out.Warnings, opt.Settled)
	return &out
}

// readingCodes are the codes of the warnings that Read makes; those of
// check.Columns and check.Outcome can be made again from the columns alone.
var readingCodes = WordSet(`encoding sheet one-column header-row no-header duplicate-header blank-header decimal-comma
	thousands dropped-rows odd-text not-plain units padded-level missing-word missing-word date-order type-refused`)

// FromReading reports whether the warning was made by Read, so that it cannot
// be made again once the file is gone.
func (w Warning) FromReading() bool { return readingCodes[w.Code] }

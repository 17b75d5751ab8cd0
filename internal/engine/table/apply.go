package table

import (
	"math"
	"slices"

	"taper/internal/engine/usererr"
)

// Check returns a user error for a value that no column can have.
func (s ColumnSpec) Check() error {
	for _, c := range []struct {
		field, value string
		allowed      []string
	}{
		{"type", string(s.Type), []string{"", string(Number), string(Integer), string(Boolean), string(Category),
			string(Date), string(Text), string(Identifier), string(Constant)}},
		{"role", string(s.Role), []string{"", string(Predictor), string(Outcome), string(Group), string(Weights),
			string(Exclude), string(Prediction)}},
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

// Clone returns options that share no memory with o, so that JSON can be decoded into them without changing o.
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

// Reading returns the options on which reading a file depends. Roles and settled warnings are left out: they
// change how a table is described, not its content.
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

// Column returns the spec of a column, with only its name where nothing was set.
func (o Options) Column(name string) ColumnSpec {
	if i := slices.IndexFunc(o.Columns, func(c ColumnSpec) bool { return c.Name == name }); i >= 0 {
		return o.Columns[i]
	}
	return ColumnSpec{Name: name}
}

// WithOptions returns the table that Read would return under opt, without reading the file again. opt.Reading
// must be that with which t was read. The columns' contents are shared with t.
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
	out.Settled, out.Excluded = opt.Settled, opt.excluded()
	out.Warnings = slices.Clone(t.Warnings)
	settle(out.Warnings, opt.Settled)
	return &out
}

// excluded names the columns that the user left out.
func (o Options) excluded() (names []string) {
	for _, s := range o.Columns {
		if s.Role == Exclude {
			names = append(names, s.Name)
		}
	}
	return names
}

// readingCodes are the codes of warnings that only Read can give. Those of check.Columns and check.Outcome can
// be computed again from the columns.
var readingCodes = WordSet(`encoding sheet one-column header-row second-header no-header duplicate-header blank-header
	decimal-comma thousands dropped-rows odd-text not-plain units padded-level missing-word
	date-order type-refused`)

// FromReading reports whether the warning was given by Read and therefore cannot be computed again once the
// file is deleted.
func (w Warning) FromReading() bool { return readingCodes[w.Code] }

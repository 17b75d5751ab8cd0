package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/errs"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// tableOf is the table of a dataset as it was read for a run: a missing code
// or a type that was changed since does not reach what is worked out anew. Once
// the file is wiped only the columns as they were confirmed are there, and
// where these were read in another way it says so. A run that did not note its
// reading takes the present one.
func (s *Server) tableOf(ctx context.Context, r store.Run, d store.Dataset) (*table.Table, error) {
	if r.Reading == nil {
		return s.current(ctx, d)
	}
	if d.State != store.Kept {
		d.State, d.Options = store.Raw, *r.Reading
		t, err := s.intake.Table(ctx, d)
		if !errs.Is(err, errs.Conflict) { // the file was wiped meanwhile
			return t, err
		}
		if d, err = s.db.Dataset(ctx, d.ID); err != nil {
			return nil, err
		}
	}
	if name, same := sameReading(r, d); !same {
		return nil, errs.New(errs.Conflict, "When ‘%s’ was made %s; the file is wiped, so this cannot be worked out anew. Upload it again and make the run again.", r.Name, name)
	}
	t, err := s.intake.Table(ctx, d)
	if err != nil {
		return nil, err
	}
	return t.With(*r.Reading), nil
}

// sameReading reports whether the columns of a run would be read now as they
// were for it, else what was different.
func sameReading(r store.Run, d store.Dataset) (what string, same bool) {
	if r.Reading == nil {
		return "", true
	}
	was, is := r.Reading.Reading(), d.Options.Reading()
	if !reflect.DeepEqual(was.Dialect, is.Dialect) {
		return "the file was read with another dialect", false
	}
	for _, name := range columnsOf(r.Spec) {
		if !reflect.DeepEqual(specOf(was, name), specOf(is, name)) {
			return fmt.Sprintf("the column ‘%s’ was read in another way", name), false
		}
	}
	return "", true
}

// readingOf is how the file was read for a run, as far as its columns go; nil
// where that was not noted.
func readingOf(r store.Run) *table.Options {
	if r.Reading == nil {
		return nil
	}
	o, used := r.Reading.Reading(), columnsOf(r.Spec)
	o.Columns = slices.DeleteFunc(o.Columns, func(c table.ColumnSpec) bool { return !slices.Contains(used, c.Name) })
	return &o
}

// columnsOf lists the columns that a run reads.
func columnsOf(s engine.Spec) []string {
	return slices.DeleteFunc(append([]string{s.Outcome, s.Group, s.Weights}, s.Predictors...), func(name string) bool { return name == "" })
}

func specOf(o table.Options, name string) table.ColumnSpec {
	if i := slices.IndexFunc(o.Columns, func(c table.ColumnSpec) bool { return c.Name == name }); i >= 0 {
		return o.Columns[i]
	}
	return table.ColumnSpec{Name: name}
}

// readingNote says on a run's page that its file is read differently by now,
// "" where it is not.
func (s *Server) readingNote(ctx context.Context, r store.Run) string {
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return ""
	}
	what, same := sameReading(r, d)
	switch {
	case same:
		return ""
	case d.State == store.Kept:
		return wording.UpperFirst(what) + " when this run was made, and the file is wiped: it cannot be made again, checked or audited."
	}
	return wording.UpperFirst(what) + " when this run was made. What is worked out for it still reads it so; the stratify page reads it as it is now."
}

package web

import (
	"context"
	"fmt"
	"reflect"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
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
		if !usererr.Is(err, usererr.Conflict) { // the file was wiped meanwhile
			return t, err
		}
		if d, err = s.db.Dataset(ctx, d.ID); err != nil {
			return nil, err
		}
	}
	if name, same := sameReading(r, d); !same {
		return nil, usererr.New(usererr.Conflict, "When ‘%s’ was made %s; the file is wiped, so this cannot be worked out anew. "+
			"Upload it again and make the run again.", r.Name, name)
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
	for _, name := range r.Spec.Columns() {
		if !reflect.DeepEqual(was.Column(name), is.Column(name)) {
			return fmt.Sprintf("the column ‘%s’ was read in another way", name), false
		}
	}
	return "", true
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
		return format.UpperFirst(what) + " when this run was made, and the file is wiped: it cannot be made again, " +
			"checked or audited."
	}
	return format.UpperFirst(what) + " when this run was made. What is worked out for it still reads it so; the " +
		"stratify page reads it as it is now."
}

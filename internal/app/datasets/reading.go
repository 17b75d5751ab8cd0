package datasets

import (
	"context"
	"fmt"
	"reflect"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// TableOf returns the table of a dataset as parsed for a run, so that later changes of missing
// codes or types do not affect the run. Once the file is deleted, only the confirmed columns
// exist; if these were parsed differently it returns an error that says so. A run without a
// stored parse gets the current table.
func (s *Service) TableOf(ctx context.Context, r store.Run, d store.Dataset) (*table.Table, error) {
	if r.Reading == nil {
		return s.current(ctx, d)
	}
	as, err := ReadAs(r, d)
	if err != nil {
		return nil, err
	}
	t, err := s.Table(ctx, as)
	if d.State == store.Kept || !usererr.Is(err, usererr.Conflict) {
		return t, err
	}
	if d, err = s.db.Dataset(ctx, d.ID); err != nil { // the file was deleted meanwhile
		return nil, err
	}
	if as, err = ReadAs(r, d); err != nil {
		return nil, err
	}
	return s.Table(ctx, as)
}

// ReadAs returns a dataset that is parsed as for a run. Once the file is deleted, columns that were parsed differently
// for the run are an error that says so.
func ReadAs(r store.Run, d store.Dataset) (store.Dataset, error) {
	if r.Reading == nil {
		return d, nil
	}
	if d.State != store.Kept {
		d.State = store.Raw
	} else if what, same := SameReading(r, d); !same {
		return d, usererr.New(usererr.Conflict,
			"When ‘%s’ was made, %s; the file was wiped, so this cannot be computed again. "+
				"Upload it again and make the run again.", r.Name, what)
	}
	d.Options = *r.Reading
	return d, nil
}

// SameReading reports whether the columns of a run would be parsed today as they were for it;
// if not, what names the difference.
func SameReading(r store.Run, d store.Dataset) (what string, same bool) {
	if r.Reading == nil {
		return "", true
	}
	was, is := r.Reading.Reading(), d.Options.Reading()
	if !reflect.DeepEqual(was.Dialect, is.Dialect) {
		return "the file was read with another delimiter, encoding, header or decimal mark", false
	}
	for _, name := range r.Spec.Columns() {
		if !reflect.DeepEqual(was.Column(name), is.Column(name)) {
			return fmt.Sprintf("the column ‘%s’ was read in another way", name), false
		}
	}
	return "", true
}

// current is the table of a dataset when the run was started; if its columns were confirmed
// since, the kept columns.
func (s *Service) current(ctx context.Context, d store.Dataset) (*table.Table, error) {
	t, err := s.Table(ctx, d)
	if err == nil || d.State == store.Kept || !usererr.Is(err, usererr.Conflict) {
		return t, err
	}
	if d, err = s.db.Dataset(ctx, d.ID); err != nil {
		return nil, err
	}
	return s.Table(ctx, d)
}

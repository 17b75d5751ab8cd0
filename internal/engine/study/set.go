package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Set is a table of rows that a paper's numbers are about.
type Set struct {
	ID       string // its file is ID.csv
	Name     string // in keys: as the paper has it
	Outcome  string
	Event    string // of two classes
	Rows     int
	Test     int // of them test rows; 0 = as the classes of a numeric outcome are cut
	Features int
	Classes  int    // 0 = a numeric outcome
	Package  string // of Debian, from which `make paper-data` writes the file; "" = it is the preset's own
	Differs  string // from the paper's, as a sentence
}

// File is its name in the folder that `make paper-data` writes.
func (s Set) File() string { return s.ID + ".csv" }

// Data is the set as an upload, from the bytes of its file.
func (s Set) Data(ctx context.Context, raw []byte) (*Data, error) {
	t, err := table.Read(ctx, raw, table.Options{}, table.DefaultLimits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File(), err)
	}
	if t.Rows != s.Rows || len(t.Columns) != s.Features+1 {
		return nil, usererr.New(usererr.Invalid, "%s has %d rows of %d columns, not %d of %d: run make paper-data again.",
			s.File(), t.Rows, len(t.Columns), s.Rows, s.Features+1)
	}
	d := &Data{Name: s.Name, Table: t, Outcome: s.Outcome}
	if s.Event != "" {
		d.Positive = table.OneLevel(s.Event)
	}
	return d, nil
}

// OnSet is a preset on a set that does not ship: an upload like any other, whose
// result ships.
type OnSet struct {
	Set
	Without    []string // one of these is in the id of each unit that is left out
	Why        string   // they are, as a sentence
	References []Reference
}

// DataTable lists the sets of a preset.
type DataTable struct {
	Figure string // the table of the paper that lists them; "" = the paper has none
	Own    []Set  // that the preset has
	Sets   []OnSet
	Absent string // what cannot be had, as a sentence
}

// ResultID names the stored result of a preset on a set.
func (p Preset) ResultID(s OnSet) string { return p.ID + "." + s.ID }

// SetByResult returns the set that a stored result of the preset is of.
func (p Preset) SetByResult(id string) (OnSet, bool) {
	i := slices.IndexFunc(p.Data.Sets, func(s OnSet) bool { return p.ResultID(s) == id })
	if i < 0 {
		return OnSet{}, false
	}
	return p.Data.Sets[i], true
}

// BuildOn is the plan of the preset on the rows of a set's file.
func (p Preset) BuildOn(ctx context.Context, s OnSet, raw []byte, size Size, seed uint64) (plan Plan, err error) {
	data, err := s.Data(ctx, raw)
	if err != nil {
		return plan, err
	}
	if plan, err = p.Build(Input{Size: size, Seed: seed, Data: data}); err != nil {
		return plan, fmt.Errorf("%s: %w", p.ResultID(s), err)
	}
	plan.Units = slices.DeleteFunc(plan.Units, func(u Unit) bool {
		return slices.ContainsFunc(s.Without, func(part string) bool { return strings.Contains(u.ID, part) })
	})
	return plan, nil
}

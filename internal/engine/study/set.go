package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Set is a dataset that a paper uses.
type Set struct {
	ID       string // its file is ID.csv
	Name     string // as in the paper; part of keys
	Outcome  string
	Event    string // for two classes
	Rows     int
	Test     int // number of test rows; 0 = all folds, or by the bins of a numeric outcome
	Features int
	Classes  int    // 0 for a numeric outcome
	Package  string // Debian package from which `make paper-data` writes the file; "" = part of the preset
	Differs  string // how it differs from the paper's, as a sentence
}

// File is its file name in the folder that `make paper-data` writes.
func (s Set) File() string { return s.ID + ".csv" }

// Data reads the dataset as an upload from the bytes of its file.
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

// OnSet is a preset on a dataset that does not ship with the program. It is treated as an upload; its
// result ships.
type OnSet struct {
	Set
	Without    []string // a unit whose id contains one of these is left out
	Why        string   // reason for leaving units out, as a sentence
	References []Reference
}

// DataTable lists the sets of a preset.
type DataTable struct {
	Figure string // table of the paper that lists them; "" if there is none
	Own    []Set  // the preset's own
	Sets   []OnSet
	Absent string // what is not available, as a sentence
}

// ResultID names the stored result of a preset on a set.
func (p Preset) ResultID(s OnSet) string { return p.ID + "." + s.ID }

// SetByResult returns the dataset to which a stored result of the preset belongs.
func (p Preset) SetByResult(id string) (OnSet, bool) {
	i := slices.IndexFunc(p.Data.Sets, func(s OnSet) bool { return p.ResultID(s) == id })
	if i < 0 {
		return OnSet{}, false
	}
	return p.Data.Sets[i], true
}

// BuildOn returns the plan of the preset on the rows of a dataset's file.
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

package model

import (
	"cmp"
	"context"
	"errors"
	"io"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// cancelRows is the number of rows between two checks of the context.
const cancelRows = 1024

// PredictOptions say how a file with new rows is parsed; the zero value detects everything and
// uses the default limits.
type PredictOptions struct {
	Dialect table.Dialect
	Limits  table.Limits
	Summary *Summary // filled by PredictCSV; nil = none
	Names   bool     // PredictCSV writes a header for a file without one

	MostWork float64 // multiply-adds; 0 = no limit
}

// PredictCSV scores a file. Its columns, rows, order, cells and dialect are kept, except that a
// text which a spreadsheet would run as a formula gets a leading quote. The columns score,
// probability, stratum, band and warning are appended (with _2 where a name is taken); for
// multiclass models those of ClassColumns, and warning. A file that lacks a column of the
// model, or has rows of unequal length, gives an error before anything is written.
func PredictCSV(ctx context.Context, m *Model, data []byte, out io.Writer, o PredictOptions) error {
	f, err := OpenFile(ctx, m, data, o)
	if err != nil {
		return err
	}
	w, err := table.NewRowWriter(out, f.reader, m.appended(), o.Names)
	if err != nil {
		return err
	}
	if o.Summary != nil {
		o.Summary.begin(m, f.reader.Header())
		defer func() { SortIssues(o.Summary.Issues) }()
	}
	return f.Each(ctx, func(row *table.Row, p Prediction) error {
		if o.Summary != nil {
			o.Summary.add(row, p)
		}
		if p.Classes != nil {
			return w.Write(row, append(p.Classes.cells(len(p.OutsideData) > 0, w.Number), p.WarningText())...)
		}
		return w.Write(row, p.cells(w.Number)...)
	})
}

// File is a file being scored.
type File struct {
	reader *table.RowReader
	scorer *Scorer
	place  map[string]int // column → index in a row

	Rows int
}

// Has reports whether the file has a column.
func (f *File) Has(column string) bool { _, ok := f.place[column]; return ok }

// Header lists the columns of the file.
func (f *File) Header() []string { return f.reader.Header() }

// Decimal is the decimal mark of the file.
func (f *File) Decimal() string { return cmp.Or(f.reader.Dialect().Decimal, ".") }

// Cell returns the text of a cell, "" for an unknown column.
func (f *File) Cell(row *table.Row, column string) string {
	if k, ok := f.place[column]; ok {
		return row.Cells[k]
	}
	return ""
}

// OpenFile validates the model, the columns and the length of every row.
func OpenFile(ctx context.Context, m *Model, data []byte, o PredictOptions) (*File, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	f := &File{scorer: s, place: map[string]int{}}
	if f.reader, err = table.NewRowReader(ctx, data, o.Dialect, o.Limits); err != nil {
		return nil, err
	}
	for k, name := range f.reader.Header() {
		f.place[name] = k
	}
	if err := s.require(f.reader.Header()); err != nil {
		return nil, err
	}
	if f.Rows, err = f.rectangular(ctx); err != nil {
		return nil, err
	}
	if err := m.Work(f.Rows).Check(Scoring, o.MostWork); err != nil {
		return nil, err
	}
	f.reader, err = table.NewRowReader(ctx, data, o.Dialect, o.Limits)
	return f, err
}

// rectangular counts the rows; its error names the first with too few or too many cells.
func (f *File) rectangular(ctx context.Context) (rows int, err error) {
	want := len(f.place)
	err = f.rows(ctx, func(i int, row *table.Row) error {
		rows++
		if n := len(row.Cells); n != want {
			return usererr.New(usererr.Invalid, "Row %s has %s, expected %d. Nothing was scored.", phrase.Int(i+1),
				phrase.Plural(n, "cell", "cells"), want).At(i+1, "")
		}
		return nil
	})
	return rows, err
}

// rows calls do for every row.
func (f *File) rows(ctx context.Context, do func(i int, row *table.Row) error) error {
	var row table.Row
	for i := 0; ; i++ {
		if i%cancelRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.reader.Read(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(i, &row); err != nil {
			return err
		}
	}
}

// Each scores every row.
func (f *File) Each(ctx context.Context, do func(*table.Row, Prediction) error) error {
	decimal := f.Decimal()
	return f.rows(ctx, func(_ int, row *table.Row) error {
		cell := func(column string) (string, bool) {
			k, ok := f.place[column]
			if !ok {
				return "", false
			}
			return row.Cells[k], true
		}
		return do(row, f.scorer.ScoreTexts(cell, decimal))
	})
}

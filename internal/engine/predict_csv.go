package engine

import (
	"context"
	"errors"
	"io"
	"strconv"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// PredictOptions say how a file with new rows is read; the zero value detects
// everything under the default limits.
type PredictOptions struct {
	Dialect table.Dialect
	Limits  table.Limits
	Summary *Summary // filled by PredictCSV unless nil

	Evaluate EvaluateOptions // of EvaluateCSV
}

// appendedBands are the columns that PredictCSV adds for two classes: no
// probability where the link has none.
func (m *Model) appendedBands() []string {
	if m.Link == LinkNone {
		return []string{"score", "stratum", "band", "warning"}
	}
	return []string{"score", "probability", "stratum", "band", "warning"}
}

// cells are the texts for appendedBands. A row outside the data has its score
// and neither stratum nor probability, so that nobody acts on them by mistake.
func (p Prediction) cells(number func(float64) string) []string {
	probability, stratum := "", strconv.Itoa(p.Stratum)
	if p.Probability != nil {
		probability = number(*p.Probability)
	}
	if len(p.Outside) > 0 {
		probability, stratum = "", ""
	}
	if p.Probability == nil {
		return []string{number(p.Score), stratum, p.Band, p.Warning()}
	}
	return []string{number(p.Score), probability, stratum, p.Band, p.Warning()}
}

// cancelEvery is the number of rows between two looks at the context.
const cancelEvery = 1024

// PredictCSV scores a file: its columns, rows, order, cells and dialect stay,
// save that text which a spreadsheet would take for a formula gains a leading
// quote, and score, probability, stratum, band and warning are appended (with
// _2 where a name is taken; of several classes what ClassColumns names, and
// warning). A column of the model that the file lacks is an
// error, and so is a ragged row; nothing is written then.
func PredictCSV(ctx context.Context, m *Model, data []byte, out io.Writer, o PredictOptions) error {
	f, err := openRows(ctx, m, data, o)
	if err != nil {
		return err
	}
	w, err := table.NewRowWriter(out, f.reader, m.appended())
	if err != nil {
		return err
	}
	if o.Summary != nil {
		o.Summary.begin(m, f.reader.Header())
		defer o.Summary.end()
	}
	return f.each(ctx, func(row *table.Row, p Prediction) error {
		if o.Summary != nil {
			o.Summary.add(row, p)
		}
		if p.Classes != nil {
			return w.Write(row, append(p.Classes.cells(len(p.Outside) > 0, w.Number), p.Warning())...)
		}
		return w.Write(row, p.cells(w.Number)...)
	})
}

// EvaluateCSV scores a file whose rows carry their outcome and judges the
// model on them.
func EvaluateCSV(ctx context.Context, m *Model, data []byte, o PredictOptions) (*Evaluation, error) {
	f, err := openRows(ctx, m, data, o)
	if err != nil {
		return nil, err
	}
	if _, ok := f.place[m.Outcome]; !ok {
		return nil, usererr.New(usererr.Invalid, "The data lack the outcome column ‘%s’: without it rows can be scored, not "+
			"judged.", m.Outcome)
	}
	if by := o.Evaluate.By; by != "" {
		if _, ok := f.place[by]; !ok || by == m.Outcome {
			return nil, noSubgroup(by)
		}
	}
	v, decimal := newEvaluator(m, o.Evaluate), or(f.reader.Dialect().Decimal, ".")
	err = f.each(ctx, func(row *table.Row, p Prediction) error {
		v.add(func(column string) string { return f.cell(row, column) }, decimal, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v.result()
}

// rowFile is a file that is being scored.
type rowFile struct {
	reader *table.RowReader
	scorer *Scorer
	place  map[string]int // column → place in a row
}

// cell returns the text of a cell, "" of a column that is not there.
func (f *rowFile) cell(row *table.Row, column string) string {
	if k, ok := f.place[column]; ok {
		return row.Cells[k]
	}
	return ""
}

// openRows checks the model, the columns and the shape of every row.
func openRows(ctx context.Context, m *Model, data []byte, o PredictOptions) (*rowFile, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	f := &rowFile{scorer: s, place: map[string]int{}}
	if f.reader, err = table.NewRowReader(ctx, data, o.Dialect, o.Limits); err != nil {
		return nil, err
	}
	for k, name := range f.reader.Header() {
		f.place[name] = k
	}
	if err := s.require(func(column string) bool { _, ok := f.place[column]; return ok }); err != nil {
		return nil, err
	}
	if err := f.rectangular(ctx); err != nil {
		return nil, err
	}
	f.reader, err = table.NewRowReader(ctx, data, o.Dialect, o.Limits)
	return f, err
}

// rectangular reports the first row with too few or too many cells.
func (f *rowFile) rectangular(ctx context.Context) error {
	want := len(f.place)
	return f.rows(ctx, func(i int, row *table.Row) error {
		if n := len(row.Cells); n != want {
			return usererr.New(usererr.Invalid, "Row %s has %s, expected %d. Nothing was scored.", thousands(i+1),
				count(n, "cell", "cells"), want).At(i+1, "")
		}
		return nil
	})
}

// rows calls do for every row.
func (f *rowFile) rows(ctx context.Context, do func(i int, row *table.Row) error) error {
	var row table.Row
	for i := 0; ; i++ {
		if i%cancelEvery == 0 && ctx.Err() != nil {
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

// each scores every row.
func (f *rowFile) each(ctx context.Context, do func(*table.Row, Prediction) error) error {
	decimal := or(f.reader.Dialect().Decimal, ".")
	return f.rows(ctx, func(_ int, row *table.Row) error {
		cell := func(column string) (string, bool) {
			k, ok := f.place[column]
			if !ok {
				return "", false
			}
			return row.Cells[k], true
		}
		return do(row, f.scorer.score(cell, decimal))
	})
}

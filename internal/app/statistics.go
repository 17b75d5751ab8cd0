package app

import (
	"context"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Statistics computes the statistics of a finished two-class run from its rows, and returns
// both. order is read by engine.Result.ReadOrder.
func (a *App) Statistics(ctx context.Context, r store.Run, order string) (engine.Statistics, []engine.RowScore, error) {
	rows, err := a.db.RunRows(ctx, r.ID)
	if err != nil {
		return engine.Statistics{}, nil, err
	}
	levels, err := r.Result.ReadOrder(r.Spec, order)
	if err != nil {
		return engine.Statistics{}, nil, err
	}
	return r.Result.Statistics(r.Spec, rows, levels), rows, nil
}

// Subgroups divides the test rows of a run by a column ("" = not at all) and lists the columns
// that can define subgroups. If the data changed since the run, none can.
func (a *App) Subgroups(ctx context.Context, r store.Run, rows []engine.RowScore, by string) (columns []string,
	groups []stat.Subgroup, err error) {
	d, err := a.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range d.Profiles {
		switch p.Type {
		case table.Identifier, table.Text, table.Constant:
			continue
		}
		if p.Name != r.Result.Outcome {
			columns = append(columns, p.Name)
		}
	}
	if by == "" {
		return columns, nil, nil
	}
	t, err := a.Datasets.TableOf(ctx, r, d)
	if err != nil {
		return columns, nil, err
	}
	col := t.Column(by)
	if col == nil || by == r.Result.Outcome {
		return columns, nil, usererr.BadField("by", "must be a column of the data that is not the outcome (got %q)", by)
	}
	return columns, r.Result.Subgroups(r.Spec, rows, col), nil
}

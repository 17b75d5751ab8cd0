package app

import (
	"context"

	"taper/internal/engine/compare"
	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// FinishedRuns loads finished runs with their rows and models.
func (a *App) FinishedRuns(ctx context.Context, ids []string) (runs []compare.Run, err error) {
	for _, id := range ids { // check every id before loading
		r, err := a.db.RunLine(ctx, id)
		if err != nil {
			return nil, err
		}
		if r.Status != store.Done {
			return nil, unfinished(r)
		}
	}
	all, rows, err := a.db.ComparedMemory(ctx, ids)
	if err != nil {
		return nil, err
	}
	if _, err := cost.Hold(ctx, "This comparison", all+compare.Memory(rows)); err != nil {
		return nil, err
	}
	ctx = cost.Paid(ctx)
	for _, id := range ids {
		r, err := a.db.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		c := compare.Run{ID: id, Name: r.Name, Data: r.DatasetName, SHA256: r.DatasetSHA, Version: r.Version, Spec: r.Spec,
			Result: r.Result}
		if c.Rows, err = a.db.RunRows(ctx, id); err != nil {
			return nil, err
		}
		if c.Model, err = a.db.RunModel(ctx, id); err != nil {
			return nil, err
		}
		runs = append(runs, c)
	}
	return runs, nil
}

// unfinished is the error for a run that has no result yet.
func unfinished(r store.Run) error {
	if HasEnded(r.Status) {
		return usererr.New(usererr.Conflict, "‘%s’ (%s) is %s and has no result to compare. Leave it out, or run "+
			"it again.",
			r.Name, r.ID, r.Status)
	}
	return usererr.New(usererr.Conflict, "‘%s’ (%s) is %s and has no result yet. Compare it when it is done.", r.Name,
		r.ID,
		r.Status)
}

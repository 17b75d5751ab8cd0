package app

import (
	"context"

	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// DeleteDataset stops the work on a dataset and deletes it with everything derived from it. What is
// refused stops nothing: the id may be that of a run or a study at work.
func (a *App) DeleteDataset(ctx context.Context, id string) error {
	if _, err := a.db.Dataset(ctx, id); err != nil {
		return err
	}
	a.stopWork(ctx, id)
	return a.Datasets.Delete(ctx, id)
}

// KeepModels deletes a dataset but keeps the models and reports of its finished runs; ids are
// the runs kept.
func (a *App) KeepModels(ctx context.Context, id string) (ids []string, err error) {
	d, err := a.db.Dataset(ctx, id)
	if err != nil {
		return nil, err
	}
	none := usererr.New(usererr.Conflict, "No finished run of this dataset has a model that can do without its rows. "+
		"Nothing was deleted.")
	keepable, err := a.db.Keepable(ctx, id)
	if err != nil {
		return nil, err
	}
	if keepable[id].Models == 0 {
		return nil, none
	}
	a.stopWork(ctx, id)
	err = a.Datasets.KeepModels(ctx, id, func() (kept []store.KeptRun, err error) {
		finished, err := a.db.FinishedRuns(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, run := range finished {
			k, err := a.Keep(ctx, run, d)
			if err != nil {
				return nil, err
			}
			if k != nil {
				kept, ids = append(kept, *k), append(ids, run)
			}
		}
		if len(kept) == 0 {
			return nil, none
		}
		return kept, nil
	})
	return ids, err
}

package app

import (
	"context"
	"slices"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Moves counts the rows of a finished two-class run by their band and by their band under other
// boundaries, equally many. A model with the interval loss depends on its boundaries and is
// refitted, with λ and γ fixed; nothing is stored.
func (a *App) Moves(ctx context.Context, r store.Run, pi []float64) ([][]engine.Move, error) {
	rows, err := a.db.RunRows(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if slices.Equal(pi, r.Result.Boundaries) {
		for i := range rows { // the bands of the run, so that ties stay as they are
			rows[i].Probability = nil
		}
		return r.Result.Moves(r.Spec, rows, pi, nil), nil
	}
	if len(rows) == 0 || rows[0].Probability != nil {
		return r.Result.Moves(r.Spec, rows, pi, nil), nil
	}
	d, err := a.db.Dataset(ctx, r.Dataset)
	if err == nil { // the rows of the run are compared, whatever the file is read as today
		d, err = datasets.ReadAs(r, d)
	}
	if err != nil {
		return nil, err
	}
	spec := r.Spec.WithDefaults()
	spec.Boundaries, spec.Mode = pi, "interval"
	if spec.Model.L2 = (fit.L2{Value: r.Result.L2}); !spec.Model.Penalised() { // use the λ of the comparison regression
		spec.Model.L2.Value = 1
	}
	if k := r.Result.Kernel; k != nil && k.Gamma != nil {
		held := *spec.Model.Kernel
		held.Gamma = *k.Gamma
		spec.Model.Kernel = &held
	}
	again, under, err := a.Computations.Result(ctx, d, spec, time.Minute)
	switch {
	case err != nil:
		return nil, err
	case under != nil:
		return nil, usererr.New(usererr.Conflict, "The model is fitted again for other boundaries, which takes more than "+
			"a minute here. Change them in stratify, which shows its progress.")
	}
	return r.Result.Moves(r.Spec, rows, pi, again.Rows), nil
}

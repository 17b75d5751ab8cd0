package web

import (
	"context"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/resultview"
)

// restarts offers random initialisations of a run's fit, or computes them until ctx ends.
func (s *Server) restarts(ctx context.Context, r store.Run, asked int) (more resultview.Restarts, err error) {
	how, err := fit.Parse(r.Spec.WithDefaults().Model)
	if err != nil || !how.Restartable() {
		return more, nil //nolint:nilerr // specs of older versions have none
	}
	more.URL = runpage.State{Starts: runpage.Starts, Band: -1, Sheet: 1}.URL(r.ID) + "#starts-h"
	if asked == 0 {
		return more, nil
	}
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return resultview.Restarts{Note: "The data of this run are gone: no further starts can be tried."}, nil
	}
	t, err := s.datasets.TableOf(ctx, r, d)
	if err != nil {
		return more, err
	}
	tried, err := engine.Restarts(ctx, t, r.Spec, r.Result.L2, asked)
	if e, ok := usererr.As(err); ok {
		more.Note = e.Detail
		return more, nil
	}
	return resultview.Restarts{Tried: tried}, err
}

package web

import (
	"context"
	"slices"

	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/page/report"
)

// clinicalOf reads what the statistics are made from. The column of the
// subgroups and the order of the groups stand in the address.
func (s *Server) clinicalOf(ctx context.Context, run store.Run, by, order string) (report.Clinical, error) {
	c := report.Clinical{Run: run, Result: run.Result, By: by, Known: true}
	if run.Result.Classes != nil { // their statistics are in the result
		var err error
		c.Validations, err = s.validationsOf(ctx, run.ID)
		return c, err
	}
	var rows []engine.RowScore
	var err error
	if c.Statistics, rows, err = s.app.Statistics(ctx, run, order); err != nil {
		return c, err
	}
	if c.Model, err = s.db.RunModel(ctx, run.ID); err != nil {
		return c, err
	}
	if c.Origin, err = s.db.RunOrigin(ctx, run.ID); err != nil {
		return c, err
	}
	if c.Asked, err = s.app.RecalibratedBy(ctx, c.Origin); err != nil {
		return c, err
	}
	if c.Refits, err = s.db.RunBootstrap(ctx, run.ID); err != nil {
		return c, err
	}
	if c.Validations, err = s.validationsOf(ctx, run.ID); err != nil {
		return c, err
	}
	c.Choice, c.Groups, err = s.app.Subgroups(ctx, run, rows, by)
	return c, err
}

// validationsOf reads the external validations of a run with their results, the
// oldest first.
func (s *Server) validationsOf(ctx context.Context, run string) ([]store.Evaluation, error) {
	all, err := s.db.Evaluations(ctx, run)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	for i := range all {
		if all[i], err = s.db.Evaluation(ctx, all[i].ID); err != nil {
			return nil, err
		}
	}
	return all, nil
}

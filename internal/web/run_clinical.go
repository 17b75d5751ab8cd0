package web

import (
	"context"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/page/report"
)

// clinicalOf reads the statistics of a run's report. The column of the subgroups and the order of the groups are in
// the address.
func (s *Server) clinicalOf(ctx context.Context, run store.Run, by, order string) (report.Clinical, error) {
	if run.Result.Classes != nil { // multiclass statistics are stored in the result
		validations, err := s.validationsOf(ctx, run.ID)
		return report.Clinical{Run: run, Result: run.Result, By: by, Known: true, Validations: validations}, err
	}
	c, err := s.performanceOf(ctx, run, by, order)
	if err != nil {
		return c, err
	}
	if c.Model, err = s.db.RunModel(ctx, run.ID); err != nil {
		return c, err
	}
	if c.Asked, err = s.app.RecalibratedBy(ctx, c.Origin); err != nil {
		return c, err
	}
	c.Validations, err = s.validationsOf(ctx, run.ID)
	return c, err
}

// performanceOf computes the statistics that need the rows, and reads the bootstrap.
func (s *Server) performanceOf(ctx context.Context, run store.Run, by, order string) (report.Clinical, error) {
	c := report.Clinical{Run: run, Result: run.Result, By: by, Order: order, Known: true,
		Workers: s.app.Elsewhere(ctx, run.Dataset)}
	var rows []engine.RowScore
	var err error
	if c.Statistics, rows, err = s.app.Statistics(ctx, run, order); err != nil {
		return c, err
	}
	if err = s.refitsOf(ctx, &c); err != nil {
		return c, err
	}
	c.Choice, c.Groups, err = s.app.Subgroups(ctx, run, rows, by)
	return c, err
}

// modelOf reads the data of a model's page.
func (s *Server) modelOf(ctx context.Context, run store.Run) (c report.Clinical, err error) {
	if c, err = s.numbersOf(ctx, run); err != nil {
		return c, err
	}
	c.Model, err = s.db.RunModel(ctx, run.ID)
	return c, err
}

// storedOf reads what the limits of a run follow from.
func (s *Server) storedOf(ctx context.Context, run store.Run) (c report.Clinical, err error) {
	if c, err = s.numbersOf(ctx, run); err != nil {
		return c, err
	}
	c.Known = true
	c.Validations, err = s.validationsOf(ctx, run.ID)
	return c, err
}

// numbersOf reads the statistics of a run, its bootstrap and its origin. Rows are needed only for results that did not
// store their statistics.
func (s *Server) numbersOf(ctx context.Context, run store.Run) (c report.Clinical, err error) {
	c = report.Clinical{Run: run, Result: run.Result}
	var kept bool
	if c.Statistics, kept = run.Result.KeptStatistics(); !kept {
		if c.Statistics, _, err = s.app.Statistics(ctx, run, ""); err != nil {
			return c, err
		}
	}
	if err = s.refitsOf(ctx, &c); err != nil {
		return c, err
	}
	c.Asked, err = s.app.RecalibratedBy(ctx, c.Origin)
	return c, err
}

// limitsOf are the limits of a run that its report lists beside the warnings. The data may have been deleted.
func (s *Server) limitsOf(ctx context.Context, c report.Clinical) ([]string, error) {
	data, err := s.db.Dataset(ctx, c.Run.Dataset)
	if err != nil && !usererr.Is(err, usererr.NotFound) {
		return nil, err
	}
	return c.Limits(data), nil
}

// refitsOf reads the origin of a run, and its bootstrap.
func (s *Server) refitsOf(ctx context.Context, c *report.Clinical) (err error) {
	if c.Origin, err = s.db.RunOrigin(ctx, c.Run.ID); err != nil {
		return err
	}
	c.Refits, err = s.db.RunBootstrap(ctx, c.Run.ID)
	return err
}

// validationsOf reads the external validations of a run with their results, oldest first.
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

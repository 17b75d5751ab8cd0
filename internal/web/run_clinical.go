package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
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
	rows, err := s.db.RunRows(ctx, run.ID)
	if err != nil {
		return c, err
	}
	var levels []string
	if order != "" {
		levels = strings.Split(order, ",")
	}
	c.Statistics = run.Result.Statistics(run.Spec, rows, levels)
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
	return c, s.subgroups(ctx, &c, rows)
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

// subgroups splits the judged rows by the column asked for. Data that changed
// since can make none.
func (s *Server) subgroups(ctx context.Context, c *report.Clinical, rows []engine.RowScore) error {
	d, err := s.db.Dataset(ctx, c.Run.Dataset)
	if err != nil {
		return err
	}
	for _, p := range d.Profiles {
		switch p.Type {
		case table.Identifier, table.Text, table.Constant:
			continue
		}
		if p.Name != c.Result.Outcome {
			c.Choice = append(c.Choice, p.Name)
		}
	}
	if c.By == "" {
		return nil
	}
	t, err := s.datasets.TableOf(ctx, c.Run, d)
	if err != nil {
		return err
	}
	col := t.Column(c.By)
	if col == nil || c.By == c.Result.Outcome {
		return usererr.BadField("by", "must be a column of the data that is not the outcome (got %q)", c.By)
	}
	c.Groups = c.Result.Subgroups(c.Run.Spec, rows, col)
	return nil
}

// statisticsJSON are the statistics of a report, with those of subgroups.
type statisticsJSON struct {
	engine.Statistics
	By        string          `json:"by,omitempty"`
	Subgroups []stat.Subgroup `json:"subgroups,omitempty"`
}

// apiStatistics answers GET /api/v1/runs/{id}/statistics?by=&order=.
func (s *Server) apiStatistics(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	switch {
	case run.Result == nil:
		return usererr.New(usererr.Conflict, "This run has no result; it is %s.", run.Status)
	case run.Result.Classes != nil:
		return usererr.New(usererr.Invalid, "These statistics are for two classes; this run has several.")
	}
	m, err := s.clinicalOf(ctx, run, c.QueryParam("by"), c.QueryParam("order"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, statisticsJSON{m.Statistics, m.By, m.Groups})
}

package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
)

// keptRun is what is kept of a run; nil where the model consists of rows. The report is made now, while there are
// rows, from a record that names none.
func (s *Server) keptRun(ctx context.Context, id string, d store.Dataset) (*store.KeptRun, error) {
	run, err := s.db.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := s.db.RunModel(ctx, id)
	if err != nil || m.HoldsRows() {
		return nil, err
	}
	run, m = report.WithoutRows(run, m)
	run.Wiped = s.now()
	c, err := s.clinicalOf(ctx, run, "", "")
	if err != nil {
		return nil, err
	}
	c.Model = m
	labels, err := s.auditFacts(ctx, run)
	if err != nil {
		return nil, err
	}
	p := report.New(run, d, c)
	p.Kept, p.Audit = true, labels
	text, err := p.Frozen()
	if err != nil {
		return nil, err
	}
	return &store.KeptRun{Run: id, Spec: run.Spec, Result: p.Numbers(), Model: m, Report: text}, nil
}

// deleteData answers POST /data/{id}/delete; with models=keep only the data are deleted.
func (s *Server) deleteData(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	keep, err := datasets.KeepsModels(sent.Get("models"))
	if err != nil {
		return err
	}
	if !keep {
		if err := s.app.DeleteDataset(ctx, id); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/data")
	}
	if _, err := s.app.KeepModels(ctx, id); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs?dataset="+id)
}

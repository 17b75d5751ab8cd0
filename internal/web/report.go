package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/page/report"
	"taper/internal/web/render"
	"taper/web/static"
	"taper/web/templates"
)

// reportPage answers GET /report/:id and GET /api/v1/runs/:id/report: the
// printable page, without any script. With download=1 it is one file that
// carries its style.
func (s *Server) reportPage(c echo.Context) error {
	view, err := s.report(c.Request().Context(), c.Param("id"), c.QueryParam("by"), c.QueryParam("order"))
	if err != nil {
		return err
	}
	if c.QueryParam("download") == "1" {
		return sendReport(c, view, "report-"+view.Run)
	}
	return s.render(c, http.StatusOK, templates.ReportPage(s.page(c, view.Title), view))
}

// sendReport sends a report as one file of that name.
func sendReport(c echo.Context, view templates.Report, name string) error {
	css, err := static.CSS()
	if err != nil {
		return fmt.Errorf("read style sheets: %w", err)
	}
	var b bytes.Buffer
	if err := templates.ReportFile(view, css).Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+name+`.html"`)
	return c.HTMLBlob(http.StatusOK, b.Bytes())
}

// report reads what a report is made from.
func (s *Server) report(ctx context.Context, id, by, order string) (templates.Report, error) {
	run, err := s.db.Run(ctx, id)
	if err != nil {
		return templates.Report{}, err
	}
	if run.Result == nil {
		return templates.Report{}, usererr.New(usererr.Conflict, "This run is %s: a report needs a finished run.", run.Status)
	}
	if !run.Wiped.IsZero() {
		k, err := s.keptReport(ctx, id)
		return render.Report(k.Document, id), err
	}
	data, err := s.db.Dataset(ctx, run.Dataset)
	if err != nil {
		return templates.Report{}, err
	}
	c, err := s.clinicalOf(ctx, run, by, order)
	if err != nil {
		return templates.Report{}, err
	}
	p := report.New(run, data, c)
	if p.Audit, err = s.auditFacts(ctx, run); err != nil {
		return templates.Report{}, err
	}
	return render.Report(p.Report(), id), nil
}

package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/web/httpio"
)

// auditCSV answers GET /audit/{run}/review.csv: the rows of the queue by suspicion, with the decisions.
func (s *Server) auditCSV(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.app.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	queue, err := s.app.Reviewed(ctx, r)
	if err != nil {
		return err
	}
	decisions, err := s.app.Decisions(ctx, queue)
	if err != nil {
		return err
	}
	decided := app.ByKey(decisions)
	lines := make([]audit.Line, len(queue.Audit.Rows))
	for i := range queue.Audit.Rows {
		row := &queue.Audit.Rows[i]
		l := audit.Line{Decision: decided[queue.Audit.Keys[i]], Margin: finiteText(row.Margin),
			Weight: finiteText(row.Weight), Suspicion: finiteText(row.Suspicion())}
		l.Key, l.Row, l.Label = queue.Audit.Keys[i], row.Row, queue.Label(row.Row)
		lines[i] = l
	}
	httpio.Attach(c, "text/csv; charset=utf-8", r.ID+"-review.csv")
	return audit.WriteCSV(c.Response(), r.DatasetSHA, lines)
}

// finiteText writes a finite number, "" for others.
func finiteText(v float64) string {
	if v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// auditImport answers POST /audit/{run}/review: it imports decisions from an exported file. Lines that change
// nothing are skipped; all others are stored, or none.
func (s *Server) auditImport(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.app.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	queue, err := s.app.Reviewed(ctx, r)
	if err != nil {
		return err
	}
	file, err := httpio.File(c, "choose a review as CSV")
	if err != nil {
		return err
	}
	given, err := audit.ReadCSV(file, r.DatasetSHA)
	if err != nil {
		return err
	}
	n, err := s.app.ImportDecisions(ctx, queue, given)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID+"?imported="+strconv.Itoa(n))
}

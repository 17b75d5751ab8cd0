package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/web/httpio"
	"taper/internal/web/page/comparison"
	"taper/internal/web/render"
	"taper/web/templates"
)

// comparePage answers GET /compare?ids=a,b: the comparison of runs. The list of runs sends its checkboxes as
// id=a&id=b.
func (s *Server) comparePage(c echo.Context) error {
	if ticked := append(c.QueryParams()["also"], c.QueryParams()["id"]...); len(ticked) > 0 {
		return c.Redirect(http.StatusSeeOther, comparison.State{IDs: ticked}.URL("/compare"))
	}
	if q, _ := comparison.Parse(c.QueryParams()); len(q.IDs) < compare.Least && !wantsJSON(c) {
		return s.render(c, http.StatusUnprocessableEntity, templates.ChooseRuns(s.page(c, "Compare runs"),
			phrase.Numeral(compare.Least), phrase.Numeral(compare.Most)))
	}
	x, err := s.compared(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	d, err := x.Document(c.Request().Context())
	if err != nil {
		return err
	}
	p := s.page(c, d.Title)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: comparison.State{IDs: x.IDs}.URL("/runs")}, {Label: "compare"}}
	p.Actions = templates.Buttons(templates.Button{Label: "Copy link", Icon: "link", Copy: "here"},
		templates.Button{Label: "As CSV", Icon: "download", URL: comparison.State{IDs: x.IDs,
			Base: x.State.Base}.URL("/compare.csv"), Dropped: true})
	strong, rest := x.Finding()
	p.Result = templates.Sentence(strong, rest)
	return s.render(c, http.StatusOK, templates.ComparePage(p, x.Controls(), render.Sections(d.Sections)))
}

// compared compares the runs of a query.
func (s *Server) compared(ctx context.Context, query url.Values) (x comparison.Page, err error) {
	q, err := comparison.Parse(query)
	if err != nil {
		return x, err
	}
	runs, err := s.app.FinishedRuns(ctx, q.IDs)
	if err != nil {
		return x, err
	}
	return comparison.New(ctx, q, runs)
}

// compareCSV answers GET /compare.csv?ids=a,b: a line per run and number.
func (s *Server) compareCSV(c echo.Context) error {
	x, err := s.compared(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", "compare.csv")
	w := table.NewCSV(c.Response())
	w.Write("part", "item", "run", "name", "baseline", "value", "difference", "paired_rows", "paired_difference",
		"ci_low", "ci_high",
		"interval", "draws", "verdict")
	for _, line := range x.Lines() {
		w.Write(line...)
	}
	return w.Flush()
}

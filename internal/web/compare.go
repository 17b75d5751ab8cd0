package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/compare"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/page/comparison"
	"taper/web/templates"
)

// comparePage answers GET /compare?ids=a,b: the runs beside each other. The
// list of runs sends its ticks as id=a&id=b.
func (s *Server) comparePage(c echo.Context) error {
	if ticked := append(c.QueryParams()["also"], c.QueryParams()["id"]...); len(ticked) > 0 {
		return c.Redirect(http.StatusSeeOther, comparison.State{IDs: ticked}.URL("/compare"))
	}
	x, err := s.compared(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	view, err := x.View(c.Request().Context())
	if err != nil {
		return err
	}
	p := s.page(c, x.Title())
	p.Help = "/help/compare"
	p.Crumbs = []templates.Link{{Label: "Runs", URL: comparison.State{IDs: x.IDs}.URL("/runs")}, {Label: "compare"}}
	p.Actions = templates.Buttons(templates.Button{Label: "Copy link", Icon: "link", Copy: "here"},
		templates.Button{Label: "As CSV", Icon: "download", URL: comparison.State{IDs: x.IDs,
			Base: x.State.Base}.URL("/compare.csv"), Dropped: true})
	strong, rest := x.Finding()
	p.Result = templates.Sentence(strong, rest)
	return s.render(c, http.StatusOK, templates.ComparePage(p, view))
}

// compared compares the runs that a query names.
func (s *Server) compared(ctx context.Context, query url.Values) (x comparison.Page, err error) {
	q, err := comparison.Parse(query)
	if err != nil {
		return x, err
	}
	runs, err := s.finishedRuns(ctx, q.IDs)
	if err != nil {
		return x, err
	}
	return comparison.New(ctx, q, runs)
}

// finishedRuns reads runs with their rows and models.
func (s *Server) finishedRuns(ctx context.Context, ids []string) (runs []compare.Run, err error) {
	for _, id := range ids { // every id is looked at before much is read
		r, err := s.db.RunLine(ctx, id)
		if err != nil {
			return nil, err
		}
		if r.Status != store.Done {
			return nil, unfinished(r)
		}
	}
	for _, id := range ids {
		r, err := s.db.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		c := compare.Run{ID: id, Name: r.Name, Data: r.DatasetName, SHA256: r.DatasetSHA, Version: r.Version, Spec: r.Spec,
			Result: r.Result}
		if c.Rows, err = s.db.RunRows(ctx, id); err != nil {
			return nil, err
		}
		if c.Model, err = s.db.RunModel(ctx, id); err != nil {
			return nil, err
		}
		runs = append(runs, c)
	}
	return runs, nil
}

// unfinished says why a run cannot be compared.
func unfinished(r store.Run) error {
	if app.Ended(r.Status) {
		return usererr.New(usererr.Conflict, "‘%s’ (%s) is %s and has no result to compare. Leave it out, or run it again.",
			r.Name, r.ID, r.Status)
	}
	return usererr.New(usererr.Conflict, "‘%s’ (%s) is %s and has no result yet. Compare it when it is done.", r.Name,
		r.ID,
		r.Status)
}

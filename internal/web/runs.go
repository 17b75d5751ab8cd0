package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/runlist"
	"taper/web/templates"
)

// runsPage answers GET /runs.
func (s *Server) runsPage(c echo.Context) error {
	q, err := runlist.Parse(c.QueryParams())
	if err != nil {
		return err
	}
	l, err := s.listRuns(c.Request().Context(), q)
	if err != nil {
		return err
	}
	p := s.page(c, "Runs")
	p.Result = l.Sentence()
	return s.render(c, http.StatusOK, templates.RunsPage(p, l.View(s.now())))
}

// listRuns reads a page of the list; the last page if the offset is beyond the end.
func (s *Server) listRuns(ctx context.Context, q runlist.State) (l runlist.List, err error) {
	if l.Facets, err = s.db.RunFacets(ctx); err != nil {
		return l, err
	}
	if l.Runs, l.Total, err = s.db.Runs(ctx, store.RunFilter(q.Filter)); err != nil {
		return l, err
	}
	if len(l.Runs) == 0 && l.Total > 0 {
		q.Offset = (l.Total - 1) / q.Limit * q.Limit
		if l.Runs, l.Total, err = s.db.Runs(ctx, store.RunFilter(q.Filter)); err != nil {
			return l, err
		}
	}
	if l.Also, err = s.elsewhere(ctx, q.Chosen, l.Runs); err != nil {
		return l, err
	}
	l.State = q
	l.Peers, err = s.db.Peers(ctx, l.Runs)
	return l, err
}

// elsewhere are the selected runs that exist and are not on the page.
func (s *Server) elsewhere(ctx context.Context, chosen []string, page []store.Run) (also []string, err error) {
	for _, id := range chosen {
		if slices.Contains(also, id) || slices.ContainsFunc(page, func(r store.Run) bool { return r.ID == id }) {
			continue
		}
		switch _, err := s.db.RunLine(ctx, id); {
		case err == nil:
			also = append(also, id)
		case !usererr.Is(err, usererr.NotFound): // deleted in the meantime
			return nil, err
		}
	}
	return also, nil
}

// askRuns answers GET /runs/delete?id=…: the confirmation before runs are deleted, as a page or, for a script, as
// a dialog.
func (s *Server) askRuns(c echo.Context) error {
	return s.askDelete(c, c.QueryParams()["id"], runsBack(c.QueryParam("back")))
}

// askRun answers GET /runs/{id}/delete.
func (s *Server) askRun(c echo.Context) error {
	return s.askDelete(c, []string{c.Param("id")}, runsBack(c.QueryParam("back")))
}

func (s *Server) askDelete(c echo.Context, ids []string, back string) error {
	runs, err := s.chosen(c.Request().Context(), ids)
	if err != nil {
		return err
	}
	d, names := runlist.DeleteDialog(runs, back)
	return s.ask(c, d, names, back, templates.Link{Label: "Runs", URL: "/runs"})
}

// chosen reads the selected runs without duplicates.
func (s *Server) chosen(ctx context.Context, ids []string) ([]store.Run, error) {
	if len(ids) == 0 {
		return nil, usererr.BadField("id", "is missing: select at least one run")
	}
	if len(ids) > runlist.Most {
		return nil, usererr.BadField("id", "must name at most %d runs", runlist.Most)
	}
	var runs []store.Run
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		r, err := s.db.RunLine(ctx, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// runsBack is the page after a deletion: the list in its previous state.
func runsBack(to string) string {
	if to == "/runs" || strings.HasPrefix(to, "/runs?") {
		return localPath(to)
	}
	return "/runs"
}

// deleteRuns answers POST /runs/delete.
func (s *Server) deleteRuns(c echo.Context) error {
	if _, err := formValue(c, "id"); err != nil {
		return err
	}
	f := c.Request().PostForm
	return s.wipeRuns(c, f["id"], f.Get("back"))
}

// deleteOneRun answers POST /runs/{id}/delete.
func (s *Server) deleteOneRun(c echo.Context) error {
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	return s.wipeRuns(c, []string{c.Param("id")}, sent.Get("back"))
}

// wipeRuns stops running jobs and deletes the runs, all or none.
func (s *Server) wipeRuns(c echo.Context, ids []string, back string) error {
	ctx := c.Request().Context()
	runs, err := s.chosen(ctx, ids)
	if err != nil {
		return err
	}
	gone := make([]string, len(runs))
	for i, r := range runs {
		gone[i] = r.ID
	}
	if err := s.app.DeleteRuns(ctx, gone); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, runsBack(back))
}

// csvPage is the number of runs read at a time for the file. It is sent while it is read, and a slow client must
// not keep a read transaction open.
const csvPage = 500

// runsCSV answers GET /runs.csv: all runs of the filter, oldest first, so that a run created in the meantime does
// not shift the pages.
func (s *Server) runsCSV(c echo.Context) error {
	q, err := runlist.Parse(c.QueryParams())
	if err != nil {
		return err
	}
	q.Limit, q.Offset, q.Sort, q.Desc = csvPage, 0, "created", false
	ctx := c.Request().Context()
	runs, _, err := s.db.Runs(ctx, store.RunFilter(q.Filter))
	if err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", "runs.csv")
	w := table.NewCSV(c.Response())
	w.Write(runlist.Head...)
	for err == nil && len(runs) > 0 {
		for _, r := range runs {
			w.Write(runlist.Line(r)...)
		}
		if w.Flush() != nil || len(runs) < csvPage {
			break
		}
		q.Offset += csvPage
		runs, _, err = s.db.Runs(ctx, store.RunFilter(q.Filter))
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

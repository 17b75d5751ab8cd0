package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/form"
	"taper/web/templates"
)

// runsMost is the number of lines that a page of the list has at most.
const runsMost = 200

// runQuery is the state of the list, read from the URL and written back to it.
type runQuery struct {
	Chosen        []string `form:"ids"` // ticked, on this page or another
	api.RunFilter `prefix:""`
}

// Field settles what differs from the API, which lists more at a time.
func (q *runQuery) Field(f *form.Field) {
	switch f.Key {
	case "ids":
		f.Read = form.One(func(text string) error {
			if q.Chosen = nil; text != "" {
				q.Chosen = strings.Split(text, ",")
			}
			q.Chosen = q.Chosen[:min(len(q.Chosen), runsMost)]
			return nil
		})
		f.Write = func() []string {
			if len(q.Chosen) == 0 {
				return nil
			}
			return []string{strings.Join(q.Chosen, ",")}
		}
	case "limit":
		f.Max = runsMost
	}
}

// readRuns reads the state of the list.
func readRuns(query url.Values) (q runQuery, err error) {
	err = form.Strict(&q, query)
	if q.Sort == "" {
		q.Desc = false // the newest come first
	}
	return q, err
}

// url writes the state as a link; what is the default is left out.
func (q runQuery) url(path string) string {
	return form.Address(path, strings.ReplaceAll(form.Values(&q).Encode(), "%2C", ","))
}

// filtered reports whether the state leaves runs out.
func (q runQuery) filtered() bool {
	return strings.TrimSpace(q.Query) != "" || q.Dataset != "" || q.Status != "" || q.Loss != ""
}

// plain is the same order without a filter, from the start.
func (q runQuery) plain() runQuery {
	return runQuery{q.Chosen, api.RunFilter{Sort: q.Sort, Desc: q.Desc, Limit: q.Limit}}
}

// runsPage answers GET /runs.
func (s *Server) runsPage(c echo.Context) error {
	q, err := readRuns(c.QueryParams())
	if err != nil {
		return err
	}
	l, err := s.listRuns(c.Request().Context(), &q)
	if err != nil {
		return err
	}
	p := s.page(c, "Runs")
	p.Result = l.sentence()
	return s.render(c, http.StatusOK, templates.RunsPage(p, l.view(s.now())))
}

// runList is a page of runs and what is known of all of them.
type runList struct {
	q      runQuery
	runs   []store.Run
	total  int // that match the filter
	facets store.RunFacets
	also   []string // ids ticked that are not on this page
	peers  map[string]store.Peers
}

// listRuns reads a page of the list; one behind the end becomes the last.
func (s *Server) listRuns(ctx context.Context, q *runQuery) (l runList, err error) {
	if l.facets, err = s.db.RunFacets(ctx); err != nil {
		return l, err
	}
	if l.runs, l.total, err = s.db.Runs(ctx, store.RunFilter(q.RunFilter)); err != nil {
		return l, err
	}
	if len(l.runs) == 0 && l.total > 0 {
		q.Offset = (l.total - 1) / q.Limit * q.Limit
		if l.runs, l.total, err = s.db.Runs(ctx, store.RunFilter(q.RunFilter)); err != nil {
			return l, err
		}
	}
	if l.also, err = s.elsewhere(ctx, q.Chosen, l.runs); err != nil {
		return l, err
	}
	l.q = *q
	l.peers, err = s.db.Peers(ctx, l.runs)
	return l, err
}

// elsewhere keeps the chosen runs that exist and are not on the page.
func (s *Server) elsewhere(ctx context.Context, chosen []string, page []store.Run) (also []string, err error) {
	for _, id := range chosen {
		if slices.Contains(also, id) || slices.ContainsFunc(page, func(r store.Run) bool { return r.ID == id }) {
			continue
		}
		switch _, err := s.db.RunLine(ctx, id); {
		case err == nil:
			also = append(also, id)
		case !usererr.Is(err, usererr.NotFound): // deleted meanwhile
			return nil, err
		}
	}
	return also, nil
}

// askRuns answers GET /runs/delete?id=…: the question before runs are deleted,
// as a page, or for a script as a dialog.
func (s *Server) askRuns(c echo.Context) error {
	return s.ask(c, c.QueryParams()["id"], runsBack(c.QueryParam("back")))
}

// askRun answers GET /runs/{id}/delete.
func (s *Server) askRun(c echo.Context) error {
	return s.ask(c, []string{c.Param("id")}, runsBack(c.QueryParam("back")))
}

func (s *Server) ask(c echo.Context, ids []string, back string) error {
	runs, err := s.chosen(c.Request().Context(), ids)
	if err != nil {
		return err
	}
	d, names := deleteRunsDialog(runs, back)
	if wantsJSON(c) {
		html, err := rendered(c, templates.DialogView(d))
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]string{"html": html})
	}
	p := s.page(c, d.Question)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}}
	return s.render(c, http.StatusOK, templates.AskPage(p, d, names, back))
}

// chosen reads the runs that a selection names, each once.
func (s *Server) chosen(ctx context.Context, ids []string) ([]store.Run, error) {
	if len(ids) == 0 {
		return nil, usererr.BadField("id", "is missing: select at least one run")
	}
	if len(ids) > runsMost {
		return nil, usererr.BadField("id", "must name at most %d runs", runsMost)
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

// runsBack is where a deletion returns: the list in the state it was left.
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
	if err := c.Request().ParseForm(); err != nil {
		return usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	return s.wipeRuns(c, []string{c.Param("id")}, c.Request().PostForm.Get("back"))
}

// wipeRuns stops what still works and removes the runs, all or none.
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

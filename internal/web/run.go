package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/page/stratify"
	"taper/internal/web/progress"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// runPage answers GET /runs/{id}: progress until the run ends, then what it
// found. With then=report a finished run leads on to its report.
func (s *Server) runPage(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if c.QueryParam("then") == "report" && r.Status == store.Done {
		return c.Redirect(http.StatusSeeOther, "/report/"+r.ID)
	}
	p := s.page(c, r.Name)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name}}
	p.Actions = templates.RunActionsView(runpage.Actions(r, c.Request().Host, s.stratifyOf(ctx, r)))
	shown := runpage.Record{Run: r, Use: templates.AboutSection(runpage.About(r))}
	switch {
	case !r.Wiped.IsZero():
		err = s.wipedRun(ctx, &shown)
	case r.Result != nil:
		err = s.finishedRun(c, &shown)
	case !app.HasEnded(r.Status):
		shown.Progress = s.runProgress(r)
	}
	if err != nil {
		return err
	}
	strong, rest, open := shown.Answer()
	p.Result, p.Open = templates.Sentence(strong, rest), templates.OpenQuestions(open)
	return s.render(c, http.StatusOK, templates.DocumentPage(p, render.Sections(shown.Document().Sections)))
}

// runProgress shows how far a run is.
func (s *Server) runProgress(r store.Run) *templates.Progress {
	p := &templates.Progress{Job: r.ID, Step: "Preparing the folds",
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/runs/" + r.ID + "/cancel"}}
	if e, ok := s.app.Jobs.Progress(r.ID); ok {
		progress.Show(p, e)
	}
	return p
}

// finishedRun reads what a run found.
func (s *Server) finishedRun(c echo.Context, shown *runpage.Record) error {
	ctx, r := c.Request().Context(), shown.Run
	shown.Reading = s.readingNote(ctx, r)
	use, err := s.runUse(ctx, r)
	if err != nil {
		return err
	}
	shown.Use = templates.RunUseView(use)
	if r.Result.Classes != nil {
		shown.View = resultview.Classes{Result: r.Result, Spec: r.Spec}.View()
		return nil
	}
	st := runpage.State{Bands: len(r.Result.Boundaries) + 1}
	if err := form.ReadStrict(&st, c.QueryParams()); err != nil {
		return err
	}
	numbers, err := s.clinicalOf(ctx, r, st.By, st.Order)
	if err != nil {
		return err
	}
	shown.Statistics = numbers.Sections(s.bootstrapProgress(numbers.Refits))
	on := resultview.Bands{Result: r.Result, Spec: r.Spec, Band: st.Band, Page: st.Page, Curves: numbers.Curves(),
		Benefit: numbers.Benefit(), Performance: []doc.Node{numbers.Performance()}, AtBoundaries: numbers.AtBoundaries(),
		Intervals: numbers.Intervals(),
		Kept:      true, Rows: func() ([]engine.RowScore, error) { return s.db.RunRows(ctx, r.ID) },
		List: func(band, page int) string { return runpage.State{Band: band, Page: page}.URL(r.ID) + "#rows-h" }}
	if on.Restarts, err = s.restarts(ctx, r, st.Starts); err != nil {
		return err
	}
	shown.View, err = on.View()
	return err
}

// runCancel answers POST /runs/{id}/cancel.
func (s *Server) runCancel(c echo.Context) error {
	err := s.app.CancelRun(c.Request().Context(), c.Param("id"))
	if err != nil && !usererr.Is(err, usererr.Conflict) { // it has ended by itself: its page says how
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+c.Param("id"))
}

// stratifyOf is the page of a run's spec, "" where the page cannot show it or
// the data are gone.
func (s *Server) stratifyOf(ctx context.Context, r store.Run) string {
	d, err := s.db.Dataset(ctx, r.Dataset)
	st, shows := stratify.OfRun(r.Spec, d)
	if err != nil || !shows {
		return ""
	}
	return st.URL()
}

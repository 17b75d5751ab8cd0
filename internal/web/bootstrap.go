package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/progress"
	"taper/web/templates"
)

// startBootstrap answers POST /runs/{id}/bootstrap.
func (s *Server) startBootstrap(c echo.Context) error {
	var asked struct {
		Replicates int    `form:"replicates"`
		Share      string `form:"share_rows"`
	}
	if err := httpio.ReadForm(c, &asked); err != nil {
		return err
	}
	terms, err := s.app.Agreed(asked.Share, "")
	if err != nil {
		return err
	}
	id := c.Param("id")
	r, err := s.db.Run(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if err := s.app.StartBootstrap(c.Request().Context(), id, engine.BootstrapOptions{Replicates: asked.Replicates,
		Seed: r.Spec.Seed}, terms); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, runpage.Performance.URL(id)+"#optimism-h")
}

// cancelBootstrap answers POST /runs/{id}/bootstrap/cancel.
func (s *Server) cancelBootstrap(c echo.Context) error {
	if err := s.app.CancelBootstrap(c.Request().Context(), c.Param("id")); err != nil &&
		!usererr.Is(err, usererr.Conflict) {
		return err
	}
	return c.Redirect(http.StatusSeeOther, runpage.Performance.URL(c.Param("id"))+"#optimism-h")
}

// bootstrapProgress is the progress of a bootstrap; nil after its end.
func (s *Server) bootstrapProgress(b *store.Bootstrap) *templates.Progress {
	if b == nil || app.HasEnded(b.Status) {
		return nil
	}
	p := &templates.Progress{Job: app.BootstrapJob(b.Run), Step: "Preparing the samples",
		Detail: phrase.Int(b.Replicates) + " refits",
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/runs/" + b.Run + "/bootstrap/cancel"}}
	if e, ok := s.app.Jobs.Progress(p.Job); ok {
		progress.Show(p, e)
	}
	return p
}

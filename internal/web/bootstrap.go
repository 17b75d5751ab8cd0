package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/web/templates"
)

// startBootstrap answers POST /runs/{id}/bootstrap.
func (s *Server) startBootstrap(c echo.Context) error {
	text, err := formValue(c, "replicates")
	if err != nil {
		return err
	}
	n, err := form.ParseWhole("replicates", text, 16)
	if err != nil {
		return err
	}
	id := c.Param("id")
	r, err := s.db.Run(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if err := s.app.StartBootstrap(c.Request().Context(), id, engine.BootstrapOptions{Replicates: int(n),
		Seed: r.Spec.Seed}); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+id+"#optimism-h")
}

// cancelBootstrap answers POST /runs/{id}/bootstrap/cancel.
func (s *Server) cancelBootstrap(c echo.Context) error {
	if err := s.app.CancelBootstrap(c.Request().Context(), c.Param("id")); err != nil &&
		!usererr.Is(err, usererr.Conflict) {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+c.Param("id")+"#optimism-h")
}

// bootstrapJSON is a bootstrap as the API shows it.
type bootstrapJSON struct {
	Run        string            `json:"run"`
	Status     string            `json:"status"`
	Error      string            `json:"error,omitempty"`
	Replicates int               `json:"replicates"`
	Created    time.Time         `json:"created"`
	Finished   *time.Time        `json:"finished"`
	Progress   *progress         `json:"progress"`
	Result     *engine.Bootstrap `json:"result"`
}

func (s *Server) bootstrapView(b *store.Bootstrap) bootstrapJSON {
	v := bootstrapJSON{Run: b.Run, Status: b.Status, Error: b.Error, Replicates: b.Replicates, Created: b.Created.UTC(),
		Result: b.Result, Progress: &progress{Message: b.Status}}
	if !b.Finished.IsZero() {
		at := b.Finished.UTC()
		v.Finished = &at
	}
	if e, ok := s.app.Jobs.Progress(app.BootstrapJob(b.Run)); ok && !app.Ended(b.Status) {
		v.Progress = &progress{e.Progress.Fraction, e.Progress.Message, e.Progress.ETA}
	} else if b.Status == store.Done {
		v.Progress.Fraction = 1
	}
	return v
}

// checkRequest is the body of POST /api/v1/runs/{id}/bootstrap.
type checkRequest struct {
	Replicates int    `json:"replicates,omitempty"`
	Seed       uint64 `json:"seed,omitempty"`
}

// apiStartBootstrap answers POST /api/v1/runs/{id}/bootstrap.
func (s *Server) apiStartBootstrap(c echo.Context) error {
	r, err := s.db.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	q := checkRequest{Seed: r.Spec.Seed}
	if err := readJSON(c, &q); err != nil {
		return err
	}
	if err := s.app.StartBootstrap(c.Request().Context(), r.ID, engine.BootstrapOptions{Replicates: q.Replicates,
		Seed: q.Seed}); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+r.ID+"/bootstrap")
	return c.JSON(http.StatusAccepted, queued{r.ID, store.Queued})
}

// apiBootstrap answers GET /api/v1/runs/{id}/bootstrap.
func (s *Server) apiBootstrap(c echo.Context) error {
	b, err := s.app.Bootstrap(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.bootstrapView(b))
}

// apiCancelBootstrap answers POST /api/v1/runs/{id}/bootstrap/cancel.
func (s *Server) apiCancelBootstrap(c echo.Context) error {
	if err := s.app.CancelBootstrap(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return s.apiBootstrap(c)
}

// apiBootstrapEvents answers GET /api/v1/runs/{id}/bootstrap/events: progress until
// the bootstrap ends, then how it ended.
func (s *Server) apiBootstrapEvents(c echo.Context) error {
	ctx := c.Request().Context()
	b, err := s.app.Bootstrap(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return s.announce(c, app.BootstrapJob(b.Run), ending{b.Run, b.Status, b.Error})
}

// bootstrapProgress shows how far a bootstrap is; nil when it has ended.
func (s *Server) bootstrapProgress(b *store.Bootstrap) *templates.Progress {
	if b == nil || app.Ended(b.Status) {
		return nil
	}
	p := &templates.Progress{ID: "check", Step: "Waiting for the run before it", Detail: viz.Count(b.Replicates) +
		" refits",
		Events: "/api/v1/runs/" + b.Run + "/bootstrap/events", // its end loads the page anew
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/runs/" + b.Run + "/bootstrap/cancel"}}
	if e, ok := s.app.Jobs.Progress(app.BootstrapJob(b.Run)); ok && e.State == job.Running {
		p.Step, p.Percent, p.Time = cmp.Or(e.Progress.Message, "Preparing the samples"), 100*e.Progress.Fraction,
			timeWords(e.Progress)
	}
	return p
}

package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/internal/web/httpio"
)

// Bootstrap is a bootstrap as the API shows it.
type Bootstrap struct {
	Run        string            `json:"run"`
	Status     string            `json:"status"`
	Error      string            `json:"error,omitempty"`
	Replicates int               `json:"replicates"`
	Created    time.Time         `json:"created"`
	Finished   *time.Time        `json:"finished"`
	Progress   *Progress         `json:"progress"`
	Result     *engine.Bootstrap `json:"result"`
}

func (h *Handlers) bootstrapView(b *store.Bootstrap) Bootstrap {
	v := Bootstrap{Run: b.Run, Status: b.Status, Error: b.Error, Replicates: b.Replicates, Created: b.Created.UTC(),
		Result: b.Result, Progress: &Progress{Message: b.Status}}
	if !b.Finished.IsZero() {
		at := b.Finished.UTC()
		v.Finished = &at
	}
	if e, ok := h.App.Jobs.Progress(app.BootstrapJob(b.Run)); ok && !app.HasEnded(b.Status) {
		v.Progress = progressOf(e.Progress)
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

// startBootstrap answers POST /api/v1/runs/{id}/bootstrap.
func (h *Handlers) startBootstrap(c echo.Context) error {
	r, err := h.DB.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	q := checkRequest{Seed: r.Spec.Seed}
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	terms, err := h.agreed(c)
	if err != nil {
		return err
	}
	if err := h.App.StartBootstrap(c.Request().Context(), r.ID, engine.BootstrapOptions{Replicates: q.Replicates,
		Seed: q.Seed}, terms); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+r.ID+"/bootstrap")
	return c.JSON(http.StatusAccepted, queued{r.ID, store.Queued})
}

// bootstrap answers GET /api/v1/runs/{id}/bootstrap.
func (h *Handlers) bootstrap(c echo.Context) error {
	b, err := h.App.Bootstrap(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.bootstrapView(b))
}

// cancelBootstrap answers POST /api/v1/runs/{id}/bootstrap/cancel.
func (h *Handlers) cancelBootstrap(c echo.Context) error {
	if err := h.App.CancelBootstrap(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return h.bootstrap(c)
}

// bootstrapEvents answers GET /api/v1/runs/{id}/bootstrap/events: progress until the bootstrap ends, then its
// outcome.
func (h *Handlers) bootstrapEvents(c echo.Context) error {
	ctx := c.Request().Context()
	b, err := h.App.Bootstrap(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return h.Streams.announce(c, app.BootstrapJob(b.Run), ending{ID: b.Run, Status: b.Status, Error: b.Error})
}

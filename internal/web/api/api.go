// Package api is the JSON API: one list of calls with their descriptions (calls.go), from which
// the router has its routes and the OpenAPI document its paths, and the handlers, which parse,
// call the use cases and answer.
package api

import (
	"net/http"
	"sync"

	"taper/internal/app"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/httpio"

	"github.com/labstack/echo/v4"
)

// Config is what the API answers from.
type Config struct {
	App     *app.App
	DB      *store.DB
	Limits  table.Limits // of an upload
	Streams Streams
	Version string // of the program
	Tags    httpio.Tagger

	// Report and Validation answer with the printable reports, Calculator and Bundle with the files, as their pages do.
	Report, Validation, Calculator, Bundle echo.HandlerFunc
}

// Handlers answer the calls of the API.
type Handlers struct {
	Config
	document func() ([]byte, error) // made when it is first asked for
}

// New returns the API.
func New(c Config) *Handlers {
	h := &Handlers{Config: c}
	h.document = sync.OnceValues(func() ([]byte, error) { return h.Description().Document() })
	return h
}

// uploads lets a file of the limit in, and what a form adds to it.
func (h *Handlers) uploads() echo.MiddlewareFunc {
	return httpio.AllowBody(h.Limits.Bytes + 1<<20)
}

// ofRun and ofRecords are what answers depend on.
func (h *Handlers) ofRun(c echo.Context) (string, bool) {
	return h.App.RunRevision(c.Request().Context(), c.Param("id"))
}

func (h *Handlers) ofRecords(echo.Context) (string, bool) { return h.App.RecordsRevision(), true }

// healthJSON is the answer to whether the program can serve.
type healthJSON struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// health answers GET /healthz.
func (h *Handlers) health(c echo.Context) error {
	return c.JSON(http.StatusOK, healthJSON{"ok", h.Version})
}

// openAPI answers GET /api/v1/openapi.json.
func (h *Handlers) openAPI(c echo.Context) error {
	document, err := h.document()
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, document)
}

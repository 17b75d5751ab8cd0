// Package api is the JSON API. One list declares all calls with their descriptions (calls.go); the router takes its
// routes from it, and the OpenAPI document its paths. Handlers parse, call a use case and answer.
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

// Config is what the API needs.
type Config struct {
	App     *app.App
	DB      *store.DB
	Limits  table.Limits // of an upload
	Streams Streams
	Version string // of the program
	Tags    httpio.Tagger

	// Report, Validation, Calculator and Bundle are the handlers that pages use too.
	Report, Validation, Calculator, Bundle echo.HandlerFunc
}

// Handlers answer the calls of the API.
type Handlers struct {
	Config
	document func() ([]byte, error) // computed on first use
}

// New returns the API.
func New(c Config) *Handlers {
	h := &Handlers{Config: c}
	h.document = sync.OnceValues(func() ([]byte, error) { return h.Description().Document() })
	return h
}

// uploads is the body limit of a call with an upload and a few form fields.
func (h *Handlers) uploads() echo.MiddlewareFunc {
	return httpio.AllowBody(h.Limits.Bytes + 1<<20)
}

// ofRun and ofRecords are revisions for ETags: the records that an answer depends on.
func (h *Handlers) ofRun(c echo.Context) (string, bool) {
	return h.App.RunRevision(c.Request().Context(), c.Param("id"))
}

func (h *Handlers) ofRecords(echo.Context) (string, bool) { return h.App.RecordsRevision(), true }

// healthJSON is the answer to a health check.
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

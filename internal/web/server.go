package web

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/cost"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
	"taper/internal/web/page/explore"
	"taper/internal/web/page/playground"
	"taper/internal/web/page/studyreport"
	"taper/web/static"
)

// Server answers requests. Its handlers are methods, one file per page or group; all routes are in routes.go.
type Server struct {
	cfg      Config
	db       *store.DB
	datasets *datasets.Service
	app      *app.App
	explorer *explore.Explorer
	play     *playground.Playground
	studies  *studyreport.Catalogue // presets of studies with stored results
	memory   cost.Memory
	log      *slog.Logger
	now      func() time.Time
	newID    func() string // ids of requests
	static   *static.Tree
	api      *api.Handlers
	sessions *sessions // nil without a password
	tags     httpio.Tagger
	echo     *echo.Echo

	stopping chan struct{} // closed when the program stops, which ends streams and waiting requests
	stop     sync.Once
}

const staticRoute = "/static/*"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// close ends streams and waiting requests.
func (s *Server) close() { s.stop.Do(func() { close(s.stopping) }) }

// render writes a page completely or not at all: if a template fails half way, an error page can still be sent.
func (s *Server) render(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}

// rendered is a component as text.
func rendered(c echo.Context, part templ.Component) (string, error) {
	var b bytes.Buffer
	err := part.Render(c.Request().Context(), &b)
	return b.String(), err
}

func newRequestID() string {
	var b [10]byte
	rand.Read(b[:])
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

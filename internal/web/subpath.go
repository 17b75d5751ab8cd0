package web

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
)

// All addresses of the program start at the root. If a proxy serves it under a path, https://host/taper/, addresses
// are rewritten here, at the edge, in both directions, so that templates, scripts and redirects need not know the
// path.

// ParseBasePath reads the path under which a proxy serves the program, without a slash at its end: "/taper". "" is
// the root.
func ParseBasePath(text string) (string, error) {
	base := strings.TrimSuffix(text, "/")
	if base != "" && !basePath.MatchString(base) {
		return "", usererr.New(usererr.Invalid, "%q is not a path like /taper: a slash, then letters, digits, dots, hyphens "+
			"and underscores.", text)
	}
	return base, nil
}

var basePath = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$`)

// links finds the attributes with an address of this program: in a page, in a part of a page inside JSON, where
// quotes are escaped, and in JSON itself. Texts cannot match, since they contain no plain quotes in HTML.
var links = regexp.MustCompile(
	`( (?:href|src|action|formaction|data-live|data-live-poll|data-late|data-url)=\\?"|"(?:url|go)":")/([^/\\]|\\?")`)

// underBase removes the base path from requests, if the proxy left it there, and adds it to every address in
// answers.
func (s *Server) underBase(next echo.HandlerFunc) echo.HandlerFunc {
	base := s.cfg.BasePath
	return func(c echo.Context) error {
		if base == "" {
			return next(c)
		}
		u := c.Request().URL
		switch path, found := strings.CutPrefix(u.Path, base); {
		case found && path == "":
			return c.Redirect(http.StatusPermanentRedirect, base+"/")
		case found && path[0] == '/':
			u.Path, u.RawPath = path, strings.TrimPrefix(u.RawPath, base)
		}
		res := c.Response()
		plain := res.Writer
		res.Writer = &basedWriter{ResponseWriter: plain, base: base, verbatim: strings.HasPrefix(u.Path, "/api/")}
		defer func() { res.Writer = plain }()
		return next(c)
	}
}

// basedWriter rewrites the addresses of an answer. Pages and JSON are written at once, so that no address is cut in
// two.
type basedWriter struct {
	http.ResponseWriter
	base     string
	verbatim bool // except for Location
}

func (w *basedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *basedWriter) WriteHeader(status int) {
	h := w.Header()
	if to := h.Get(echo.HeaderLocation); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, w.base+"/") {
		h.Set(echo.HeaderLocation, w.base+to)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *basedWriter) Write(p []byte) (int, error) {
	h := w.Header()
	// Downloads and answers of the API may contain arbitrary text.
	if kind := h.Get(echo.HeaderContentType); w.verbatim || h.Get(echo.HeaderContentDisposition) != "" ||
		!strings.HasPrefix(kind, "text/html") && !strings.HasPrefix(kind, "application/json") {
		return w.ResponseWriter.Write(p)
	}
	if _, err := w.ResponseWriter.Write(links.ReplaceAll(p, []byte("${1}"+w.base+"/${2}"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

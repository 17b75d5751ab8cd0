package main

import (
	"compress/gzip"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// compressed gzips pages and JSON for clients that take it. What has its own
// encoding (static files) and what must not wait (event streams) goes as it is.
func compressed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, w := c.Request(), c.Response()
		if r.Method == http.MethodHead || !strings.Contains(r.Header.Get(echo.HeaderAcceptEncoding), "gzip") {
			return next(c)
		}
		plain := w.Writer
		var z *gzip.Writer
		w.Before(func() {
			h := w.Header()
			h.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
			if h.Get(echo.HeaderContentEncoding) != "" || !compressible(h.Get(echo.HeaderContentType)) {
				return
			}
			h.Set(echo.HeaderContentEncoding, "gzip")
			h.Del(echo.HeaderContentLength)
			z, _ = gzip.NewWriterLevel(plain, gzip.BestSpeed) // the level is valid
			w.Writer = gzipWriter{plain, z}
		})
		err := next(c)
		if z != nil {
			_ = z.Close() // the client may have left
			w.Writer = plain
		}
		return err
	}
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/html") || strings.Contains(kind, "json")
}

// gzipWriter writes a body through gzip and the rest straight.
type gzipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (g gzipWriter) Write(p []byte) (int, error) { return g.z.Write(p) }

func (g gzipWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g gzipWriter) FlushError() error {
	if err := g.z.Flush(); err != nil {
		return err
	}
	return http.NewResponseController(g.ResponseWriter).Flush()
}

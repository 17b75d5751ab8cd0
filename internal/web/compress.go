package web

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"github.com/labstack/echo/v4"
)

// gzipped compresses pages and JSON of every size for clients that accept gzip. Static files, which have their own
// encoding, and partial content are not changed.
var gzipped, _ = gzhttp.NewWrapper( // the options are valid
	gzhttp.CompressionLevel(gzip.BestSpeed),
	gzhttp.EnableZstd(false), // browsers ask for it over TLS alone
	gzhttp.MinSize(0),
	gzhttp.ContentTypeFilter(compressible),
)

// compressed applies gzip to answers. Event streams get the plain writer: the library delays headers until the
// first byte of the body, and a browser would not know that the stream is open before the first event.
func compressed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		w := c.Response()
		plain := w.Writer
		gzipped(http.HandlerFunc(func(z http.ResponseWriter, _ *http.Request) {
			w.Writer = z
			w.Before(func() {
				if strings.HasPrefix(w.Header().Get(echo.HeaderContentType), "text/event-stream") {
					w.Writer = plain
				}
			})
			err = next(c)
		})).ServeHTTP(plain, c.Request())
		w.Writer = plain
		return err
	}
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/html") || strings.Contains(kind, "json")
}

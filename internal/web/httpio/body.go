// Package httpio holds what pages and API share in reading requests and writing answers:
// bodies with a limit, JSON, numbers of a query, forms with a file, files to save, and
// errors as problems (RFC 9457). It renders no page.
package httpio

import (
	"io"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
	"taper/internal/strict"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// DefaultBody bounds a request body where a route does not say otherwise:
// room for a call with 100,000 margins, and no more.
const DefaultBody = 16 << 20

// body is a request body that ends with a sentence at its limit.
type body struct {
	io.ReadCloser
	limit, read int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, usererr.New(usererr.TooLarge, "The request is larger than %s MB, the limit.", format.Megabytes(b.limit))
	}
	return n, err
}

func LimitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = &body{ReadCloser: r.Body, limit: DefaultBody}
		return next(c)
	}
}

// AllowBody raises the limit of one route, for uploads.
func AllowBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Request().Body.(*body).limit = limit
			return next(c)
		}
	}
}

// jsonTimes is how many times its own size the values of a body and the answer to it may take: rows of
// short cells, of which each becomes an entry of a map.
const jsonTimes = 40

// bodySize is the length of a body, the longest where it only says when it has ended.
func bodySize(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return DefaultBody
	}
	return r.ContentLength
}

// ReadJSON decodes a JSON body strictly.
func ReadJSON(c echo.Context, dst any) error {
	raw, err := Body(c)
	if err != nil {
		return err
	}
	return strict.Decode(raw, dst)
}

// Body reads a body of JSON, and holds what its values take.
func Body(c echo.Context) ([]byte, error) {
	r := c.Request()
	if _, err := cost.Hold(r.Context(), "Reading this request", 3*bodySize(r)); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, err = cost.Hold(r.Context(), "This request", jsonTimes*int64(len(raw)))
	return raw, err
}

// formTimes is how many times its own size a form takes: as it came, as text, and each field decoded.
const formTimes = 4

// mostForm is what net/http reads of a form.
const mostForm = 10 << 20

// Form reads an ordinary form.
func Form(c echo.Context) (url.Values, error) {
	r := c.Request()
	if _, err := cost.Hold(r.Context(), "Reading this form", formTimes*min(bodySize(r), mostForm)); err != nil {
		return nil, err
	}
	if err := r.ParseForm(); err != nil {
		if _, ok := usererr.As(err); ok {
			return nil, err
		}
		return nil, usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	return r.PostForm, nil
}

// ReadForm reads an ordinary form into a state of package form.
func ReadForm(c echo.Context, state any) error {
	sent, err := Form(c)
	if err != nil {
		return err
	}
	return form.ReadStrict(state, sent)
}

// Package httpio has what pages and the API share for reading requests and writing answers: bodies with a limit,
// JSON, numbers of a query, forms with a file, downloads, and errors as problems (RFC 9457). It renders no page.
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

// DefaultBody is the limit of a request body in bytes where a route sets none: enough for a call with 100,000
// margins.
const DefaultBody = 16 << 20

// body is a request body that fails with a clear message at its limit.
type body struct {
	io.ReadCloser
	limit, read int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, usererr.New(usererr.TooLarge, "The request is larger than %s MB, the limit. Send less at a time.",
			format.Megabytes(b.limit))
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

// AllowBody sets the limit of one route: higher for uploads, lower for forms that need no sign-in.
func AllowBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Request().Body.(*body).limit = limit
			return next(c)
		}
	}
}

// jsonTimes bounds the memory of decoded JSON and its answer, relative to the size of the body. The worst case is
// rows with short cells, each of which becomes a map entry.
const jsonTimes = 40

// bodySize is the length of a body; the limit, if the length is unknown.
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

// Body reads a JSON body and reserves the memory of its values.
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

// formTimes bounds the memory of a form, relative to its size: raw, as text, and decoded.
const formTimes = 4

// mostForm is the limit of a form in net/http.
const mostForm = 10 << 20

// Form reads a URL-encoded form.
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

// ReadForm reads a URL-encoded form into a state of package form.
func ReadForm(c echo.Context, state any) error {
	sent, err := Form(c)
	if err != nil {
		return err
	}
	return form.ReadStrict(state, sent)
}

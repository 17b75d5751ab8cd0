// Package httpio holds what pages and API share in reading requests and writing answers:
// bodies with a limit, JSON, numbers of a query, forms with a file, files to save, and
// errors as problems (RFC 9457). It renders no page.
package httpio

import (
	"io"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/strict"
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

// ReadJSON decodes a JSON body strictly.
func ReadJSON(c echo.Context, dst any) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	return strict.Decode(raw, dst)
}

// Paging reads ?limit=&offset= of a list; limit is 1 to most, default 50.
func Paging(c echo.Context, most int) (limit, offset int, err error) {
	if limit, err = Whole(c, "limit", min(50, most), 1, most); err != nil {
		return 0, 0, err
	}
	offset, err = Whole(c, "offset", 0, 0, 1<<31-1)
	return limit, offset, err
}

// Whole reads a whole number from the query.
func Whole(c echo.Context, name string, fallback, lo, hi int) (int, error) {
	text := c.QueryParam(name)
	if text == "" {
		return fallback, nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		return 0, usererr.BadField(name, "must be a whole number from %d to %d (got %.40q)", lo, hi, text)
	}
	return v, nil
}

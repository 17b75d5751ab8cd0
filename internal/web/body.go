package web

import (
	"io"
	"strconv"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/strict"
)

// defaultBody bounds a request body where a route does not say otherwise:
// room for a call with 100,000 margins, and no more.
const defaultBody = 16 << 20

// body is a request body that ends with a sentence at its limit.
type body struct {
	io.ReadCloser
	limit, read int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, usererr.New(usererr.TooLarge, "The request is larger than %s MB, the limit.", megabytes(b.limit))
	}
	return n, err
}

func limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = &body{ReadCloser: r.Body, limit: defaultBody}
		return next(c)
	}
}

// allowBody raises the limit of one route, for uploads.
func allowBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Request().Body.(*body).limit = limit
			return next(c)
		}
	}
}

// readJSON decodes a JSON body strictly.
func readJSON(c echo.Context, dst any) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	return strict.Decode(raw, dst)
}

// paging reads ?limit=&offset= of a list; limit is 1 to most, default 50.
func paging(c echo.Context, most int) (limit, offset int, err error) {
	if limit, err = whole(c, "limit", min(50, most), 1, most); err != nil {
		return 0, 0, err
	}
	offset, err = whole(c, "offset", 0, 0, 1<<31-1)
	return limit, offset, err
}

// whole reads a whole number from the query.
func whole(c echo.Context, name string, fallback, lo, hi int) (int, error) {
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

func megabytes(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) }

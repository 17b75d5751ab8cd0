package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
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

// readJSON decodes a JSON body strictly: one value, known fields only, and a
// sentence for everything else.
func readJSON(c echo.Context, dst any) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		return explainJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return usererr.New(usererr.Invalid, "The body holds more than one JSON value.")
	}
	return nil
}

func explainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	if _, ok := usererr.As(err); ok {
		return err
	}
	switch {
	case errors.As(err, &kind) && kind.Field != "" && kind.Type == reflect.TypeFor[table.Levels]():
		return usererr.BadField(kind.Field, "must be a text or a list of texts (got %s)", jsonGot(kind.Value))
	case errors.As(err, &kind) && kind.Field != "":
		return usererr.BadField(kind.Field, "must be %s (got %s)", jsonKind(kind.Type.Kind().String()), jsonGot(kind.Value))
	case errors.As(err, &kind):
		return usererr.New(usererr.Invalid, "The body must be a JSON object (got %s).", jsonGot(kind.Value))
	case errors.As(err, &syntax):
		return usererr.New(usererr.Invalid, "The body is not JSON: byte %d is out of place.", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return usererr.New(usererr.Invalid, "The body is not JSON: it is empty or ends too early.")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if plain, err := strconv.Unquote(name); err == nil {
			return usererr.BadField(plain, "is not a field of this request")
		}
	}
	return usererr.New(usererr.Invalid, "The body cannot be read as this request: %s.",
		strings.TrimPrefix(err.Error(), "json: "))
}

// jsonKind names a Go kind as JSON does.
func jsonKind(kind string) string {
	switch {
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a finite number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	case kind == "slice", kind == "array":
		return "a list"
	}
	return "an object"
}

// jsonGot names the value that came, as package json words it. Texts are not
// repeated.
func jsonGot(value string) string {
	if digits, ok := strings.CutPrefix(value, "number "); ok {
		return fmt.Sprintf("%.40s", digits)
	}
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	}
	return "a " + value
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

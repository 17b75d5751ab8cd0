package httpio

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
)

// Problem is the body of an API error (RFC 9457).
type Problem struct {
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Errors []usererr.Field `json:"errors,omitempty"`
	Row    int             `json:"row,omitempty"`    // data row of the error, from 1
	Column string          `json:"column,omitempty"` // header of the error
}

// statusOf is the status of each kind of error.
var statusOf = map[usererr.Code]int{
	usererr.Invalid:   http.StatusUnprocessableEntity,
	usererr.NotFound:  http.StatusNotFound,
	usererr.TooLarge:  http.StatusRequestEntityTooLarge,
	usererr.Forbidden: http.StatusForbidden,
	usererr.Conflict:  http.StatusConflict,
	usererr.Full:      http.StatusInsufficientStorage,
	usererr.Stalled:   http.StatusRequestTimeout,
	usererr.TooMany:   http.StatusTooManyRequests,
	usererr.Busy:      http.StatusServiceUnavailable,
}

// Status is the HTTP status for a user error.
func Status(code usererr.Code) int { return statusOf[code] }

func ProblemOf(err error, c echo.Context) Problem {
	if e, ok := usererr.As(err); ok {
		p := newProblem(statusOf[e.Code], string(e.Code), e.Detail)
		p.Errors, p.Row, p.Column = e.Fields, e.Row, e.Column
		return p
	}
	var he *echo.HTTPError
	var be *echo.BindingError
	if errors.As(err, &be) {
		he = be.HTTPError
	}
	if he != nil || errors.As(err, &he) {
		return echoProblem(he.Code, c)
	}
	return newProblem(http.StatusInternalServerError, "internal", "Internal error.")
}

// missing says that nothing answers at a path, and where the calls are listed.
func missing(path string) string {
	if strings.HasPrefix(path, "/api/") {
		return "The address " + path + " does not exist. The page /api lists the calls."
	}
	return "The page " + path + " does not exist."
}

// echoProblem replaces the texts of the framework's errors by ours.
func echoProblem(status int, c echo.Context) Problem {
	switch r := c.Request(); status {
	case http.StatusNotFound:
		return newProblem(status, string(usererr.NotFound), missing(r.URL.Path))
	case http.StatusMethodNotAllowed:
		return newProblem(status, "method", r.URL.Path+" does not answer "+r.Method+" requests.")
	case http.StatusRequestEntityTooLarge:
		return newProblem(status, string(usererr.TooLarge), "The request is larger than the limit.")
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return newProblem(http.StatusUnprocessableEntity, string(usererr.Invalid), "The request cannot be read.")
	}
	if status >= 400 && status < 500 {
		return newProblem(status, "refused", http.StatusText(status)+".")
	}
	return newProblem(http.StatusInternalServerError, "internal", "Internal error.")
}

// newProblem makes a problem; unexpected statuses become server errors.
func newProblem(status int, kind, detail string) Problem {
	if status == 0 {
		status, kind, detail = http.StatusInternalServerError, "internal", "Internal error."
	}
	return Problem{Type: "urn:taper:" + kind, Title: titles[status], Status: status, Detail: detail}
}

var titles = map[int]string{
	http.StatusForbidden:             "Not allowed",
	http.StatusUnauthorized:          "Sign in first",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not possible here",
	http.StatusConflict:              "Not possible now",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnprocessableEntity:   "Not understood",
	http.StatusRequestTimeout:        "Cut off",
	http.StatusTooManyRequests:       "Too much at once",
	http.StatusServiceUnavailable:    "Busy",
	http.StatusInternalServerError:   "Internal error",
	http.StatusInsufficientStorage:   "The disk is full",
}

package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/web/templates"
)

// problem is the body of an API error (RFC 9457).
type problem struct {
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Errors []usererr.Field `json:"errors,omitempty"`
	Row    int             `json:"row,omitempty"`    // data row it concerns, from 1
	Column string          `json:"column,omitempty"` // header it concerns
}

// gone is what a request is logged as when its client left before the answer.
const gone = 499

var statusOf = map[usererr.Code]int{
	usererr.Invalid:   http.StatusUnprocessableEntity,
	usererr.NotFound:  http.StatusNotFound,
	usererr.TooLarge:  http.StatusRequestEntityTooLarge,
	usererr.Forbidden: http.StatusForbidden,
	usererr.Conflict:  http.StatusConflict,
	usererr.Full:      http.StatusInsufficientStorage,
}

// fail is the one place where an error becomes an answer: problem+json for the
// API and for scripts, a page for people. What is not meant for a user is
// logged with its cause and shown as "Internal error.".
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil {
		c.Response().Status = gone
		return
	}
	p := problemOf(err, c)
	if p.Status >= http.StatusInternalServerError {
		s.log.Error("request failed", slog.String("id", requestID(c)),
			slog.String("route", route(c)), job.Cause(err))
	}
	if err := s.answer(p, c); err != nil {
		s.log.Error("error page failed", slog.String("id", requestID(c)), slog.String("cause", err.Error()))
	}
}

func (s *Server) answer(p problem, c echo.Context) error {
	switch {
	case c.Request().Method == http.MethodHead:
		return c.NoContent(p.Status)
	case wantsJSON(c):
		c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
		c.Response().WriteHeader(p.Status)
		return c.Echo().JSONSerializer.Serialize(c, p, "")
	}
	id := ""
	if p.Status >= http.StatusInternalServerError {
		id = requestID(c)
	}
	return s.render(c, p.Status, templates.Failure(s.page(c, p.Title), p.Detail, id))
}

func problemOf(err error, c echo.Context) problem {
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

// echoProblem gives the framework's own refusals our sentences.
func echoProblem(status int, c echo.Context) problem {
	switch r := c.Request(); status {
	case http.StatusNotFound:
		return newProblem(status, string(usererr.NotFound), "There is no "+r.URL.Path+" here.")
	case http.StatusMethodNotAllowed:
		return newProblem(status, "method", r.Method+" is not something "+r.URL.Path+" answers.")
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

// newProblem is a server error when the status is one nobody chose.
func newProblem(status int, kind, detail string) problem {
	if status == 0 {
		status, kind, detail = http.StatusInternalServerError, "internal", "Internal error."
	}
	return problem{Type: "urn:taper:" + kind, Title: titles[status], Status: status, Detail: detail}
}

var titles = map[int]string{
	http.StatusForbidden:             "Not allowed",
	http.StatusUnauthorized:          "Sign in first",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not possible here",
	http.StatusConflict:              "Not possible now",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnprocessableEntity:   "Not understood",
	http.StatusTooManyRequests:       "Too many tries",
	http.StatusInternalServerError:   "Internal error",
	http.StatusInsufficientStorage:   "The disk is full",
}

// wantsJSON reports whether a script or a program asks rather than a person:
// browsers name text/html when they open a page, fetch and other clients don't.
func wantsJSON(c echo.Context) bool {
	r := c.Request()
	return strings.HasPrefix(r.URL.Path, "/api/") ||
		!strings.Contains(r.Header.Get(echo.HeaderAccept), "text/html")
}

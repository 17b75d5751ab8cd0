package web

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// gone is the status logged for a request whose client disconnected before the answer.
const gone = 499

// fail is the one place where an error becomes an answer: problem+json for the API and for scripts, a page for
// browsers. Internal errors are logged with their cause and shown as "Internal error.".
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed && httpio.OpenedEvents(c) == nil {
		s.cutOff(err, c)
		return
	}
	// The context also ends when a stalled body was cut off; such a request is answered.
	_, said := usererr.As(err)
	if errors.Is(err, errLeft) || c.Request().Context().Err() != nil && !said && !errors.Is(err, errPanic) {
		if c.Response().Committed {
			return
		}
		_ = c.NoContent(gone) // otherwise a client that stopped sending but still reads would see 200
		return
	}
	p := httpio.ProblemOf(err, c)
	switch {
	case p.Status == http.StatusServiceUnavailable:
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(int(cost.Patience.Seconds())))
	case p.Status >= http.StatusInternalServerError:
		s.log.Error("request failed", slog.String("id", requestID(c)),
			slog.String("route", route(c)), job.Cause(err))
	}
	if err := s.answer(p, c); err != nil {
		s.log.Error("error page failed", slog.String("id", requestID(c)), slog.String("cause", err.Error()))
	}
}

// cutOff ends an answer that failed after its first byte. The connection breaks, as otherwise the client would take
// the part that it has for a complete file.
func (s *Server) cutOff(err error, c echo.Context) {
	if c.Request().Method == http.MethodHead || errors.Is(err, http.ErrBodyNotAllowed) {
		return // the answer is complete without a body
	}
	var line net.Error // the client left or no longer reads
	if !errors.Is(err, errLeft) && !errors.As(err, &line) && c.Request().Context().Err() == nil {
		s.log.Error("answer cut off", slog.String("id", requestID(c)), slog.String("route", route(c)), job.Cause(err))
	}
	panic(http.ErrAbortHandler)
}

func (s *Server) answer(p httpio.Problem, c echo.Context) error {
	events := httpio.OpenedEvents(c)
	switch {
	case events != nil: // with the status that says that they follow
		return events.Send("problem", p)
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
	return s.render(c, p.Status, templates.Failure(s.page(c, p.Title), p.Detail, id,
		onward(c.Request().URL.Path, p.Status)))
}

// onward is where a reader of an error can go on: the run or the data that lack what was asked for, otherwise the
// list of which the failed page shows one, else the start.
func onward(path string, status int) templates.Link {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if known := status == http.StatusConflict || status == http.StatusUnprocessableEntity; known && len(parts) > 1 {
		switch {
		case parts[0] == "runs" && len(parts) > 2, parts[0] == "report", parts[0] == "audit":
			return templates.Link{Label: "Open the run", URL: "/runs/" + parts[1]}
		case parts[0] == "stratify":
			return templates.Link{Label: "Open the data", URL: "/data/" + parts[1]}
		}
	}
	for _, list := range []struct {
		pages []string
		to    templates.Link
	}{
		{[]string{"/runs/", "/report/", "/audit/", "/evaluations/", "/compare"},
			templates.Link{Label: "Go to Runs", URL: "/runs"}},
		{[]string{"/data/", "/stratify/"}, templates.Link{Label: "Go to Data", URL: "/data"}},
		{[]string{"/studies/"}, templates.Link{Label: "Go to Studies", URL: "/studies"}},
		{[]string{"/help/"}, templates.Link{Label: "Go to Help", URL: "/help"}},
		{[]string{"/verify"}, templates.Link{Label: "Verify a bundle", URL: "/verify"}},
	} {
		for _, page := range list.pages {
			if strings.HasPrefix(path, page) {
				return list.to
			}
		}
	}
	return templates.Link{Label: "Back to the start", URL: "/"}
}

// wantsJSON reports whether a program or script asks, not a person: browsers name text/html when they open a page,
// fetch and other clients don't.
func wantsJSON(c echo.Context) bool {
	r := c.Request()
	return strings.HasPrefix(r.URL.Path, "/api/") ||
		!strings.Contains(r.Header.Get(echo.HeaderAccept), "text/html")
}

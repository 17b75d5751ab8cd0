package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
)

// logged gives every request an id and logs one line for it. The line has the pattern of the route, never its
// parameters, query or body, so that no cell, header or file name gets into the log.
func (s *Server) logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.now()
		id := s.newID()
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		defer func() { // also for an answer that is cut off
			if route(c) == staticRoute && c.Response().Status == http.StatusOK {
				return
			}
			s.log.Info("request", slog.String("id", id), slog.String("method", c.Request().Method),
				slog.String("route", route(c)), slog.Int("status", c.Response().Status),
				slog.Int64("bytes", c.Response().Size), slog.Duration("took", s.now().Sub(start).Round(time.Microsecond)))
		}()
		if err := next(c); err != nil {
			c.Error(err) // here, so that the line above has the status
		}
		return nil
	}
}

var errPanic = errors.New("panic")

// recovered turns a panic into an error of the request.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			switch r := recover(); r {
			case nil:
			case http.ErrAbortHandler:
				panic(r)
			default:
				err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
			}
		}()
		return next(c)
	}
}

func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// route is the pattern that matched, or "-" where none did.
func route(c echo.Context) string {
	if p := c.Path(); p != "" {
		return p
	}
	return "-"
}

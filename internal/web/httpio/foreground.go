package httpio

import (
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/parallel"
)

// waiting is the context key of requests that do not count as foreground.
const waiting = "waiting"

// longestForeground is the time for which a request counts as foreground. Longer ones wait for a slow connection,
// for memory or for a computation, and jobs need not wait for them.
const longestForeground = 5 * time.Second

// Foreground makes jobs pause while requests are answered.
func Foreground(f *parallel.Foreground) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			end := f.Begin()
			defer end()
			defer time.AfterFunc(longestForeground, end).Stop()
			c.Set(waiting, end)
			return next(c)
		}
	}
}

// WaitsForJob says that the rest of a request waits for a job, which must not pause for it.
func WaitsForJob(c echo.Context) {
	if end, ok := c.Get(waiting).(func()); ok {
		end()
	}
}

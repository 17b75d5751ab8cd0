package httpio

import (
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/parallel"
)

// waiting is the key of what takes a request out of the foreground.
const waiting = "waiting"

// longestForeground bounds how long a request counts: what takes longer waits for a slow line, for memory or
// for a computation, and the jobs need not wait with it.
const longestForeground = 5 * time.Second

// Foreground lets jobs give way to requests.
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

// WaitsForJob says that the rest of a request follows a job: the job must not give way to it.
func WaitsForJob(c echo.Context) {
	if end, ok := c.Get(waiting).(func()); ok {
		end()
	}
}

package httpio

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/parallel"
)

// TestForeground: background work pauses until a request ends, also if it fails or panics, but not for requests
// that wait for the work, and never for long. The clock is simulated.
func TestForeground(t *testing.T) {
	const work, request = 200 * time.Millisecond, 300 * time.Millisecond
	slow := func(err error) func(echo.Context) error {
		return func(echo.Context) error {
			time.Sleep(request)
			return err
		}
	}
	minute := func(echo.Context) error {
		time.Sleep(time.Minute)
		return nil
	}
	for _, c := range []struct {
		name   string
		handle func(echo.Context) error
		begins time.Duration // start of the work
		want   time.Duration // pause after it
	}{
		{"under way", slow(nil), 0, request - work},
		{"answered", slow(nil), request, 0},
		{"failed", slow(errors.New("no answer")), request, 0},
		{"crashed", func(echo.Context) error { panic("in a handler") }, 0, 0},
		{"follows a job", func(c echo.Context) error {
			WaitsForJob(c)
			return minute(c)
		}, 0, 0},
		{"takes a minute, at first", minute, 0, 3 * work},
		{"takes a minute, later", minute, longestForeground, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var f parallel.Foreground
				handle := Foreground(&f)(c.handle)
				ended := make(chan struct{})
				defer func() { <-ended }()
				go func() {
					defer close(ended)
					defer func() { _ = recover() }()
					_ = handle(echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()))
				}()
				synctest.Wait()
				time.Sleep(c.begins)
				background := f.Behind(t.Context())
				time.Sleep(work)
				started := time.Now()
				if err := parallel.Yield(background); err != nil || time.Since(started) != c.want {
					t.Errorf("%v, a pause of %v, want %v", err, time.Since(started), c.want)
				}
			})
		})
	}
}

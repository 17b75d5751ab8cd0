package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/parallel"
	"taper/internal/testtime"
	"taper/internal/web/api"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
)

// reported starts a job that reports what it receives, until the channel is closed.
func reported(t *testing.T, s *Server, id string, reports <-chan job.Progress) {
	t.Helper()
	work := func(ctx context.Context, report func(job.Progress)) error {
		for {
			select {
			case p, more := <-reports:
				if !more {
					return nil
				}
				report(p)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	if err := s.app.Jobs.Start(id, 0, work, func(error) {}); err != nil {
		t.Fatal(err)
	}
}

// followed is the answer to a page that follows a job and has some of its parts.
func followed(t *testing.T, s *Server, id, had string) (a live.Answer) {
	t.Helper()
	w := ask(s, "GET", "/jobs/"+id+"/live?had="+had, "", browser)
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	return a
}

// TestJobLive: a page that follows a job is sent what it does not show yet.
func TestJobLive(t *testing.T) {
	s, _ := testServer(t, Config{})
	reports := make(chan job.Progress)
	reported(t, s, "j1", reports)
	first := followed(t, s, "j1", "")
	if p := first.Parts; first.Ended || p["j1-percent"] != "0\u00a0%" || p["j1-step"] != "" || len(p) != 3 {
		t.Errorf("before the first report: %+v", first)
	}
	reports <- job.Progress{Fraction: .41, Message: "Fold 3 of <5>", ETA: 9}
	var second live.Answer
	testtime.Until(t, "the report", func() bool {
		second = followed(t, s, "j1", "")
		return second.Parts["j1-percent"] == "41\u00a0%"
	})
	if p := second.Parts; p["j1-step"] != "Fold 3 of &lt;5&gt;" || p["j1-time"] != "6\u00a0s so far, about 9\u00a0s left" {
		t.Errorf("after a report: %+v", second)
	}
	had := ""
	for id, stamp := range second.Stamps {
		had += id + ":" + stamp + ","
	}
	third := make(chan live.Answer, 1)
	go func() { third <- followed(t, s, "j1", had) }() // waits, since there is nothing new
	reports <- job.Progress{Fraction: .5, Message: "Fold 3 of <5>", ETA: 7}
	if p := (<-third).Parts; p["j1-percent"] != "50\u00a0%" || p["j1-step"] != "" {
		t.Errorf("what is new: %+v", p)
	}
	close(reports)
	testtime.Until(t, "the end", func() bool { return followed(t, s, "j1", "").Ended })
	if !followed(t, s, "gone", "").Ended {
		t.Error("a job that nobody knows goes on")
	}
}

// TestJobLiveEnds: a waiting request is answered when the program stops, and forgotten when its client disconnects.
func TestJobLiveEnds(t *testing.T) {
	for name, stop := range map[string]func(*Server, context.CancelFunc){
		"client leaves": func(_ *Server, leave context.CancelFunc) { leave() },
		"program stops": func(s *Server, _ context.CancelFunc) { s.close() },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := testServer(t, Config{})
			reports := make(chan job.Progress)
			reported(t, s, "j1", reports)
			defer close(reports)
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:8080/jobs/j1/live", nil)
				s.ServeHTTP(httptest.NewRecorder(), r)
			}()
			stop(s, leave)
			select {
			case <-ended:
			case <-time.After(testtime.Hang):
				t.Error("the request does not end")
			}
		})
	}
}

// TestFollowersSlowNoJob: jobs do not pause for requests that follow a job, but do for all others.
func TestFollowersSlowNoJob(t *testing.T) {
	s, _ := testServer(t, Config{})
	for name, c := range map[string]struct {
		handle echo.HandlerFunc
		busy   bool
	}{
		"page":   {func(c echo.Context) error { return s.jobLive(c) }, false},
		"stream": {func(c echo.Context) error { return s.api.Streams.Send(c, make(chan api.Event)) }, false},
		"help":   {s.helpIndex, true},
	} {
		var f parallel.Foreground
		asked := httpio.Foreground(&f)(func(e echo.Context) error {
			_ = c.handle(e) // the client disconnected
			if f.Busy() != c.busy {
				t.Errorf("%s: busy %v, want %v", name, f.Busy(), c.busy)
			}
			return nil
		})
		left, leave := context.WithCancel(t.Context())
		leave()
		r := httptest.NewRequestWithContext(left, "GET", "/", nil)
		if err := asked(s.echo.NewContext(r, httptest.NewRecorder())); err != nil || f.Busy() {
			t.Errorf("%s: %v, busy %v after the answer", name, err, f.Busy())
		}
	}
}

// TestJobsGiveWay: the jobs of a server pause for its requests.
func TestJobsGiveWay(t *testing.T) {
	s, _ := testServer(t, Config{})
	busy := false
	s.echo.GET("/busy", func(c echo.Context) error {
		busy = s.app.Jobs.Foreground.Busy()
		return c.NoContent(http.StatusNoContent)
	})
	if ask(s, "GET", "/busy", ""); !busy || s.app.Jobs.Foreground.Busy() {
		t.Errorf("busy %v in a request, %v after it", busy, s.app.Jobs.Foreground.Busy())
	}
}

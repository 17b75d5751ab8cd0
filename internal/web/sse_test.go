package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/testtime"
	"taper/internal/web/api"
)

// TestStream reads events while they are sent, as a browser does.
func TestStream(t *testing.T) {
	s, _ := testServer(t, Config{})
	feed := make(chan api.Event)
	s.echo.GET("/events", func(c echo.Context) error { return s.api.Streams.Send(c, feed) })
	web := httptest.NewServer(s)
	defer web.Close()
	res := get(t, web.URL+"/events")
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("Content-Type %q, Content-Encoding %q", got, res.Header.Get("Content-Encoding"))
	}
	lines := bufio.NewReader(res.Body)
	feed <- api.Event{Name: "progress", Data: map[string]any{"fraction": .5, "message": "Fold 1\nof 5"}}
	want(t, lines, "id: 1", "event: progress", `data: {"fraction":0.5,"message":"Fold 1\nof 5"}`, "")
	feed <- api.Event{Name: "done", Data: struct{}{}}
	want(t, lines, "id: 2", "event: done", "data: {}", "")
	close(feed)
	if _, err := lines.ReadString('\n'); err == nil {
		t.Error("the stream goes on after its feed was closed")
	}
}

// TestStreamEnds: a stream ends with the request's context and when the program stops.
func TestStreamEnds(t *testing.T) {
	for name, stop := range map[string]func(*Server, context.CancelFunc){
		"client leaves": func(_ *Server, leave context.CancelFunc) { leave() },
		"program stops": func(s *Server, _ context.CancelFunc) { s.close() },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := testServer(t, Config{})
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			ended := make(chan error, 1)
			c := s.echo.NewContext(httptest.NewRequestWithContext(ctx, "GET", "/events", nil), httptest.NewRecorder())
			go func() { ended <- s.api.Streams.Send(c, make(chan api.Event)) }()
			stop(s, leave)
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(testtime.Hang):
				t.Error("the stream does not end")
			}
		})
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func want(t *testing.T, r *bufio.Reader, lines ...string) {
	t.Helper()
	for _, w := range lines {
		if got, err := r.ReadString('\n'); err != nil || strings.TrimSuffix(got, "\n") != w {
			t.Fatalf("line %q, %v; want %q", got, err, w)
		}
	}
}

package web

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/web/api"
)

// bodies adds routes whose answers should be compressed or not, each for another reason.
func bodies(s *Server) {
	long := strings.Repeat(`{"a":1}`, 400)
	s.echo.GET("/t/json", func(c echo.Context) error { return c.Blob(200, "application/json", []byte(long)) })
	s.echo.HEAD("/t/json", func(c echo.Context) error { return c.Blob(200, "application/json", []byte(long)) })
	s.echo.GET("/t/csv", func(c echo.Context) error { return c.Blob(200, "text/csv; charset=utf-8", []byte(long)) })
	s.echo.GET("/t/encoded", func(c echo.Context) error {
		c.Response().Header().Set("Content-Encoding", "br")
		return c.Blob(200, "application/json", []byte(long))
	})
	s.echo.GET("/t/range", func(c echo.Context) error {
		c.Response().Header().Set("Content-Type", "application/json")
		http.ServeContent(c.Response(), c.Request(), "", time.Time{}, strings.NewReader(long))
		return nil
	})
	s.echo.GET("/t/empty", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	s.echo.GET("/t/away", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/") })
	s.echo.GET("/t/flushed", func(c echo.Context) error {
		c.Response().Header().Set("Content-Type", "application/json")
		for range 400 {
			fmt.Fprint(c.Response(), `{"a":1}`)
			c.Response().Flush()
		}
		return nil
	})
}

// TestCompressedWhich checks which answers are compressed, and that Vary is set once.
func TestCompressedWhich(t *testing.T) {
	s, _ := testServer(t, Config{})
	bodies(s)
	for _, test := range []struct {
		method, path, accept string
		code                 int
		encoding             string
	}{
		{"GET", "/t/json", "gzip", 200, "gzip"},
		{"GET", "/t/json", "br, zstd, GZIP;q=0.5", 200, "gzip"},
		{"GET", "/t/json", "", 200, ""},
		{"GET", "/t/json", "br", 200, ""},
		{"GET", "/t/json", "gzip;q=0, identity", 200, ""},
		{"HEAD", "/t/json", "gzip", 200, ""},
		{"GET", "/t/csv", "gzip", 200, ""},
		{"GET", "/t/encoded", "gzip", 200, "br"},
		{"GET", "/t/range", "gzip", 200, "gzip"},
		{"GET", "/t/empty", "gzip", 204, ""},
		{"GET", "/t/away", "gzip", 303, ""},
		{"GET", "/t/flushed", "gzip", 200, "gzip"},
	} {
		name := test.method + " " + test.path + " for " + test.accept
		w := ask(s, test.method, test.path, "", "Accept-Encoding: "+test.accept)
		h := w.Header()
		if w.Code != test.code || h.Get("Content-Encoding") != test.encoding {
			t.Errorf("%s: %d, %q, want %d, %q", name, w.Code, h.Get("Content-Encoding"), test.code, test.encoding)
			continue
		}
		if vary := h["Vary"]; !slices.Equal(vary, []string{"Accept-Encoding"}) {
			t.Errorf("%s: Vary %q", name, vary)
		}
		want := strings.Repeat(`{"a":1}`, 400)
		got := w.Body.String()
		switch {
		case test.code != 200:
			want = ""
		case test.encoding == "gzip":
			if h.Get("Content-Length") != "" || h.Get("Accept-Ranges") != "" {
				t.Errorf("%s: headers of the plain answer: %v", name, h)
			}
			if got = unzip(t, w.Body); got != want {
				t.Errorf("%s: another answer: %.60q", name, got)
			}
		}
		if got != want {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
		}
	}
	w := ask(s, "GET", "/t/range", "", "Accept-Encoding: gzip", "Range: bytes=7-13")
	if w.Code != 206 || w.Header().Get("Content-Encoding") != "" || w.Body.String() != `{"a":1}` {
		t.Errorf("a part: %d, %q, %q", w.Code, w.Header().Get("Content-Encoding"), w.Body)
	}
	w = ask(s, "GET", s.static.Prefix()+"js/app.js", "", "Accept-Encoding: gzip")
	if vary := w.Header()["Vary"]; w.Header().Get("Content-Encoding") != "gzip" || !slices.Equal(vary, []string{"Accept-Encoding"}) {
		t.Errorf("a file: %q, Vary %q", w.Header().Get("Content-Encoding"), vary)
	}
	unzip(t, w.Body) // compressed once
}

// TestCompressedStream: event streams are not compressed, and the browser knows that the stream is open before the
// first event.
func TestCompressedStream(t *testing.T) {
	for _, accept := range []string{"gzip, deflate, br, zstd", "identity"} {
		s, _ := testServer(t, Config{})
		feed := make(chan api.Event)
		s.echo.GET("/events", func(c echo.Context) error { return s.api.Streams.Send(c, feed) })
		web := httptest.NewServer(s)
		defer web.Close()
		defer close(feed)
		r, err := http.NewRequest("GET", web.URL+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", accept)
		res, err := http.DefaultClient.Do(r) // returns when the headers have arrived
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if got := res.Header.Get("Content-Encoding"); got != "" {
			t.Errorf("for %q: Content-Encoding %q", accept, got)
		}
		feed <- api.Event{Name: "progress", Data: 1}
		want(t, bufio.NewReader(res.Body), "id: 1", "event: progress", "data: 1", "")
	}
}

// TestCompressedTogether: compressing writers are reused, and never by two answers at the same time.
func TestCompressedTogether(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.echo.GET("/t/n", func(c echo.Context) error {
		return c.Blob(200, "application/json", []byte(strings.Repeat(c.QueryParam("n"), 5000)))
	})
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			for i := range 20 {
				n := fmt.Sprintf("[%d]", 100*k+i)
				z, err := gzip.NewReader(ask(s, "GET", "/t/n?n="+n, "", "Accept-Encoding: gzip").Body)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(z); err != nil || string(got) != strings.Repeat(n, 5000) {
					t.Errorf("%s: another answer, %v", n, err)
				}
			}
		})
	}
	all.Wait()
}

func unzip(t *testing.T, r io.Reader) string {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

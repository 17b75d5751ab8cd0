package web

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/testlog"
	"taper/internal/testtime"
	"taper/internal/web/httpio"
)

// clockedWriter records the deadlines set on a connection.
type clockedWriter struct {
	*httptest.ResponseRecorder
	reads, writes []time.Time
}

func (w *clockedWriter) SetReadDeadline(at time.Time) error {
	w.reads = append(w.reads, at)
	return nil
}
func (w *clockedWriter) SetWriteDeadline(at time.Time) error {
	w.writes = append(w.writes, at)
	return nil
}

// TestPaced: every piece of a body and of an answer has a deadline; after the end of the body there is none, since
// the server waits there for the end of the connection.
func TestPaced(t *testing.T) {
	e := echo.New()
	e.Pre(paced(time.Minute, time.Hour), compressed)
	answer := strings.Repeat("x", 3*piece+1)
	e.POST("/", func(c echo.Context) error {
		if got, err := io.ReadAll(c.Request().Body); err != nil || len(got) != 5 {
			t.Errorf("%q, %v", got, err)
		}
		return c.String(200, answer)
	})
	w := &clockedWriter{ResponseRecorder: httptest.NewRecorder()}
	from := time.Now()
	e.ServeHTTP(w, httptest.NewRequest("POST", "/", iotest.OneByteReader(strings.NewReader("12345"))))
	if w.Body.String() != answer {
		t.Errorf("%d bytes were answered", w.Body.Len())
	}
	if len(w.writes) != 4 {
		t.Errorf("%d pieces were written, want 4", len(w.writes))
	}
	for _, at := range w.writes {
		if at.Before(from.Add(time.Hour)) {
			t.Errorf("a piece may take until %v", at)
		}
	}
	if len(w.reads) < 7 || !w.reads[len(w.reads)-1].IsZero() { // five bytes and the end with a deadline, then none
		t.Errorf("the body had the deadlines %v", w.reads)
	}
	for i, at := range w.reads[:len(w.reads)-1] {
		if at.Before(from.Add(time.Minute)) || i > 0 && at.Before(w.reads[i-1]) {
			t.Errorf("a read may take until %v", at)
		}
	}
}

// stallServer answers /read with the content of the body and /refuse without reading it; a body may stall for this
// long.
func stallServer(t *testing.T, send time.Duration) (*testlog.Log, net.Conn) {
	t.Helper()
	s, log := testServer(t, Config{})
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.Pre(paced(send, time.Minute), compressed, s.logged, httpio.LimitBody)
	e.POST("/read", func(c echo.Context) error {
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		return c.String(200, string(body))
	})
	e.POST("/refuse", func(c echo.Context) error { return echo.NewHTTPError(http.StatusForbidden) })
	web := httptest.NewServer(e)
	t.Cleanup(web.Close)
	conn, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return log, conn
}

func TestStalledBody(t *testing.T) {
	for path, want := range map[string]int{"/read": 408, "/refuse": 403} {
		log, conn := stallServer(t, 50*time.Millisecond)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf", path)
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != want || !res.Close {
			t.Errorf("%s: %s, closes %v: %s", path, res.Status, res.Close, body)
		}
		if _, err := in.ReadByte(); err != io.EOF && !errors.Is(err, net.ErrClosed) && !strings.Contains(fmt.Sprint(err), "reset") {
			t.Errorf("%s: the connection is left open: %v", path, err)
		}
		if strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("%s is our error: %s", path, log)
		}
	}
}

// TestSilenceBeforeSignIn: idle connections without a session are closed.
func TestSilenceBeforeSignIn(t *testing.T) {
	if sendWithin > 10*time.Second {
		t.Errorf("silence may last %v", sendWithin)
	}
	s, _ := testServer(t, Config{PasswordHash: testHash})
	hs := s.listener(20 * time.Millisecond)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go hs.Serve(ln)
	defer hs.Close()
	const host = " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for name, sent := range map[string]string{"nothing": "", "half a header": "GET /login HTTP/1.1\r\nHost: 127",
		"nothing after an answer": "GET /login" + host, "a stream": "GET /api/v1/runs/none/events" + host,
		"progress": "GET /jobs/none/live" + host} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, sent)
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") { // until it is closed
				t.Error(err)
			}
		})
	}
}

// TestRefusedRequestsClose: a request that is refused before its body was read closes its connection, since the
// rest of the body would be read as the next request.
func TestRefusedRequestsClose(t *testing.T) {
	open, _ := testServer(t, Config{Memory: 256 << 20})
	locked, _ := testServer(t, Config{PasswordHash: testHash})
	for _, c := range []struct {
		name    string
		s       *Server
		request string
		status  int
	}{
		{"another site", open, "POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://example.org", 403},
		{"another name", open, "POST /api/v1/runs HTTP/1.1\r\nHost: example.org", 403},
		{"no such page", open, "POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1", 404},
		{"another method", open, "PUT /runs HTTP/1.1\r\nHost: 127.0.0.1", 405},
		{"more than the memory", open, "POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json", 422},
		{"not signed in", locked, "POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			web := httptest.NewServer(c.s)
			defer web.Close()
			conn, err := net.Dial("tcp", web.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, c.request+"\r\nContent-Length: 1000000000\r\n\r\n")
			in := bufio.NewReader(conn)
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != c.status || !res.Close {
				t.Errorf("%s, closes %v: %s", res.Status, res.Close, body)
			}
			if _, err := in.ReadByte(); err == nil {
				t.Error("the connection is left open")
			}
		})
	}
}

// TestBodyIsGivenBack: after a refusal the request has the server's own body again. With another body the server
// resets the connection at once, and a client that still sends never sees the reason.
func TestBodyIsGivenBack(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := httptest.NewRequest("POST", "/api/v1/losses/evaluate", io.LimitReader(rand.Reader, 1<<20))
	body := r.Body
	s.ServeHTTP(httptest.NewRecorder(), r)
	if r.Body != body {
		t.Errorf("the request was left with the body %T", r.Body)
	}
}

func TestClientLeaves(t *testing.T) {
	log, conn := stallServer(t, time.Hour)
	fmt.Fprint(conn, "POST /read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf")
	conn.Close()
	testtime.Until(t, "the request is logged", func() bool { return strings.Contains(log.String(), "route=/read") })
	if said := log.String(); !strings.Contains(said, "status=499") || strings.Contains(said, "level=ERROR") {
		t.Errorf("logged as %s", said)
	}
}

// TestBrokenBodyIsNoSuccess: a client with a broken body may still read, and must not read status 200.
func TestBrokenBodyIsNoSuccess(t *testing.T) {
	_, conn := stallServer(t, time.Hour)
	fmt.Fprint(conn, "POST /read HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nhalf")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 499 || !res.Close {
		t.Errorf("%v, %v", res, err)
	}
}

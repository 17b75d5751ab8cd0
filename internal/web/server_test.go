package web

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/testlog"
	"taper/internal/testtime"
	"taper/internal/web/httpio"
)

// testServer is a Server on a temporary folder; routes may be added to s.echo. The log is recorded.
func testServer(t testing.TB, cfg Config) (*Server, *testlog.Log) {
	t.Helper()
	return serverOn(t, filepath.Join(t.TempDir(), "data"), cfg)
}

// serverOn is a Server on a folder.
func serverOn(t testing.TB, dir string, cfg Config) (*Server, *testlog.Log) {
	t.Helper()
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:8080"
	}
	// On a slow machine a page would show progress where a test expects the result, or load itself in place of an answer.
	cfg.Limits, cfg.Version, cfg.Patience = table.DefaultLimits, testVersion, testtime.Hang
	db, err := store.Open(context.Background(), dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	log := &testlog.Log{}
	s, err := newServer(cfg, db, slog.New(slog.NewTextHandler(log, nil)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// ask sends one request to s; headers are name: value lines.
func ask(s http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if tag := w.Header().Get("ETag"); tag != "" && w.Code == http.StatusOK && method == http.MethodGet {
		oneAnswer(tag, w)
	}
	return w
}

const browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

func TestHosts(t *testing.T) {
	s, _ := testServer(t, Config{})
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "127.0.0.1": 200, "localhost:8080": 200, "LOCALHOST": 200, "[::1]:8080": 200, "127.0.0.2:1": 200,
		"evil.example": 403, "evil.example:8080": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403,
		"10.0.0.1:8080": 403, "0.0.0.0": 403, "": 403, "[": 403,
	} {
		if w := ask(s, "GET", "/healthz", "", "Host: "+host); w.Code != want {
			t.Errorf("Host %q: %d, want %d", host, w.Code, want)
		}
	}
	if w := ask(s, "GET", "/no/such/page", "", "Host: evil.example"); w.Code != 403 {
		t.Errorf("unknown path of a foreign host: %d, want 403", w.Code)
	}
	off, _ := testServer(t, Config{Listen: "taper.lan:8080", PasswordHash: testHash})
	for host, want := range map[string]int{"taper.lan:8080": 200, "192.168.1.5:8080": 200, "evil.example": 403} {
		if w := ask(off, "GET", "/healthz", "", "Host: "+host); w.Code != want {
			t.Errorf("off loopback, Host %q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestOrigins(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.echo.POST("/change", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	for _, test := range []struct {
		method  string
		headers []string
		want    int
	}{
		{"POST", nil, 204},
		{"POST", []string{"Origin: http://127.0.0.1:8080"}, 204},
		{"POST", []string{"Origin: http://127.0.0.1:9999"}, 403},
		{"POST", []string{"Origin: http://evil.example"}, 403},
		{"POST", []string{"Origin: null"}, 403},
		{"POST", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:8080"}, 204},
		{"DELETE", []string{"Origin: http://evil.example"}, 403},
	} {
		if w := ask(s, test.method, "/change", "", test.headers...); w.Code != test.want {
			t.Errorf("%s %v: %d, want %d", test.method, test.headers, w.Code, test.want)
		}
	}
	if w := ask(s, "GET", "/healthz", "", "Origin: http://evil.example"); w.Code != 200 {
		t.Errorf("reading with a foreign Origin: %d, want 200", w.Code)
	}
}

// TestOpener: a page of another site that opens one of this program loses its hold of it.
func TestOpener(t *testing.T) {
	s, _ := testServer(t, Config{})
	for from, want := range map[string]string{"none": "", "same-origin": "", "same-site": "same-origin",
		"cross-site": "same-origin", "": "same-origin"} {
		w := ask(s, "GET", "/", "", browser, "Sec-Fetch-Site: "+from)
		if got := w.Header().Get("Cross-Origin-Opener-Policy"); w.Code != 200 || got != want {
			t.Errorf("opened from %q: %d, policy %q, want %q", from, w.Code, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, path := range []string{"/runs", "/healthz", "/nope"} {
		h := ask(s, "GET", path, "", browser).Header()
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", path, name, got, want)
			}
		}
		if len(h.Get("X-Request-Id")) != 16 {
			t.Errorf("%s: request id %q", path, h.Get("X-Request-Id"))
		}
	}
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'self';") {
		t.Errorf("policy %q", policy)
	}
}

func TestStatic(t *testing.T) {
	s, _ := testServer(t, Config{})
	html := ask(s, "GET", "/api", "", browser).Body.String()
	links := regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(links) < 4 {
		t.Fatalf("%d static files on a page, want the icon, the style sheet, and the module with its preload", len(links))
	}
	for _, l := range links {
		w := ask(s, "GET", l[1], "")
		if w.Code != 200 || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d, %s", l[1], w.Code, w.Header().Get("Cache-Control"))
		}
		z := ask(s, "GET", l[1], "", "Accept-Encoding: gzip")
		if z.Header().Get("Content-Encoding") == "gzip" {
			r, err := gzip.NewReader(z.Body)
			if err != nil {
				t.Fatal(err)
			}
			plain, _ := io.ReadAll(r)
			if string(plain) != w.Body.String() {
				t.Errorf("%s differs when compressed", l[1])
			}
		}
	}
	for _, path := range []string{"/static/000000000000/js/app.js", "/static/", s.static.Prefix(), s.static.Prefix() + "../static.go", s.static.Prefix() + "js/"} {
		if w := ask(s, "GET", path, ""); w.Code != 404 && w.Code != 301 {
			t.Errorf("%s: %d, want 404", path, w.Code)
		}
	}
}

// TestErrors covers every kind of error that a handler can return, for browsers and for programs.
func TestErrors(t *testing.T) {
	s, log := testServer(t, Config{})
	secret := errors.New("cell value 4711 in /secret/path")
	wrap := func(err error) error { return fmt.Errorf("load: %w", fmt.Errorf("read: %w", err)) }
	tests := map[string]struct {
		err    error
		status int
		detail string
	}{
		"invalid":     {usererr.BadField("boundaries[1]", "must be greater than boundaries[0] (0.5)"), 422, "boundaries[1] must be greater than boundaries[0] (0.5)."},
		"wrapped":     {wrap(usererr.New(usererr.NotFound, "There is no run r1.")), 404, "There is no run r1."},
		"too-large":   {usererr.New(usererr.TooLarge, "Too much."), 413, "Too much."},
		"forbidden":   {usererr.New(usererr.Forbidden, "Not you."), 403, "Not you."},
		"conflict":    {usererr.New(usererr.Conflict, "Still running."), 409, "Still running."},
		"cause":       {&usererr.Error{Code: usererr.Invalid, Detail: "Not a number.", Cause: secret}, 422, "Not a number."},
		"bug":         {secret, 500, "Internal error."},
		"wrapped-bug": {wrap(secret), 500, "Internal error."},
		"crashed-job": {wrap(&job.PanicError{Value: secret, Stack: []byte("where it crashed")}), 500, "Internal error."},
		"new-code":    {usererr.New("made-up", "Whatever."), 500, "Internal error."},
		"echo-404":    {wrap(echo.ErrNotFound), 404, "The page /fail/echo-404 does not exist."},
		"echo-bind":   {echo.NewBindingError("n", []string{"x"}, "bad", secret), 422, "The request cannot be read."},
		"echo-500":    {echo.NewHTTPError(http.StatusBadGateway, "x"), 500, "Internal error."},
	}
	for name, test := range tests {
		s.echo.GET("/fail/"+name, func(echo.Context) error { return test.err })
		s.echo.GET("/api/v1/fail/"+name, func(echo.Context) error { return test.err })
	}
	s.echo.GET("/api/v1/fail/panic", func(echo.Context) error { panic(secret) })
	tests["panic"] = struct {
		err    error
		status int
		detail string
	}{nil, 500, "Internal error."}
	for name, test := range tests {
		if name == "echo-404" {
			test.detail = "The address /api/v1/fail/echo-404 does not exist. The page /api lists the calls."
		}
		w := ask(s, "GET", "/api/v1/fail/"+name, "", browser)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v in %s", name, err, w.Body)
		}
		if w.Code != test.status || p.Status != test.status || p.Detail != test.detail || p.Title == "" || p.Type == "" {
			t.Errorf("%s: %d %+v, want %d %q", name, w.Code, p, test.status, test.detail)
		}
		if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: Content-Type %q", name, got)
		}
		if strings.Contains(w.Body.String(), "4711") {
			t.Errorf("%s shows its cause: %s", name, w.Body)
		}
	}
	w := ask(s, "GET", "/fail/bug", "", browser)
	if html := w.Body.String(); w.Code != 500 || !strings.Contains(html, "Internal error.") || !strings.Contains(html, w.Header().Get("X-Request-Id")) || strings.Contains(html, "4711") {
		t.Errorf("the page of a bug: %d %s", w.Code, html)
	}
	if !strings.Contains(log.String(), w.Header().Get("X-Request-Id")) || !strings.Contains(log.String(), "cell value 4711") {
		t.Error("the log does not hold the cause with the request's id")
	}
	if !strings.Contains(log.String(), "where it crashed") {
		t.Error("the log does not hold the stack of a crashed job")
	}
}

func TestMethodNotAllowed(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "DELETE", "/healthz", "")
	if w.Code != 405 || w.Header().Get("Allow") == "" {
		t.Errorf("DELETE /healthz = %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// TestLogHoldsNoValues sends values in every part of a request; none may be in the log.
func TestLogHoldsNoValues(t *testing.T) {
	s, log := testServer(t, Config{})
	s.echo.POST("/api/v1/things/:id", func(c echo.Context) error {
		var v struct{ A int }
		return httpio.ReadJSON(c, &v)
	})
	ask(s, "POST", "/api/v1/things/canary1?q=canary2", `{"a":"canary3"}`, "Referer: http://127.0.0.1/canary4", "User-Agent: canary5")
	ask(s, "GET", "/canary6", "")
	if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, "route=/api/v1/things/:id") {
		t.Errorf("log: %s", text)
	}
}

func TestReadJSON(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.echo.POST("/api/v1/read", func(c echo.Context) error {
		var v struct {
			Seed  int64     `json:"seed"`
			Rate  float64   `json:"rate"`
			Pi    []float64 `json:"pi"`
			Model struct {
				Loss string `json:"loss"`
			} `json:"model"`
		}
		if err := httpio.ReadJSON(c, &v); err != nil {
			return err
		}
		return c.JSON(200, v)
	})
	for _, test := range []struct {
		body, field, want string
		status            int
	}{
		{`{"seed":7,"rate":0.5,"pi":[0.25],"model":{"loss":"logistic"}}`, "", "", 200},
		{`{"seed":"7"}`, "seed", "must be a whole number (got a text)", 422},
		{`{"seed":1.5}`, "seed", "must be a whole number (got 1.5)", 422},
		{`{"pi":0.5}`, "pi", "must be a list (got a number)", 422},
		{`{"model":{"loss":3}}`, "model.loss", "must be a text (got a number)", 422},
		{`{"sead":7}`, "sead", "is not a field of this request", 422},
		{`{"rate":NaN}`, "", "at line 1, character 9 it has ‘N’ where a value (a text in double quotes, a number, true, false, null, " + "a list or an object) is expected", 422},
		{`{"seed":7`, "", "ends too early", 422},
		{``, "", "The body is empty", 422},
		{`[1]`, "", "must be a JSON object (got a list)", 422},
		{`{"seed":7}{"seed":8}`, "", "more than one JSON value", 422},
		{`{"seed":` + strings.Repeat(" ", httpio.DefaultBody) + `7}`, "", "larger than 16 MB", 413},
	} {
		w := ask(s, "POST", "/api/v1/read", test.body)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if w.Code != test.status || !strings.Contains(p.Detail, test.want) {
			t.Errorf("%.40s: %d %q, want %d %q", test.body, w.Code, p.Detail, test.status, test.want)
		}
		if test.field != "" && (len(p.Errors) != 1 || p.Errors[0].Field != test.field) {
			t.Errorf("%.40s: errors %v, want field %q", test.body, p.Errors, test.field)
		}
	}
}

func TestPaging(t *testing.T) {
	s, _ := testServer(t, Config{})
	for query, want := range map[string]int{
		"": 200, "?limit=1000&offset=30": 200, "?limit=0": 422, "?limit=1001": 422, "?limit=1.5": 422, "?offset=-1": 422, "?offset=x": 422,
	} {
		if w := ask(s, "GET", "/api/v1/datasets"+query, ""); w.Code != want {
			t.Errorf("%q = %d, want %d", query, w.Code, want)
		}
	}
}

func TestCompressed(t *testing.T) {
	s, _ := testServer(t, Config{})
	plain := ask(s, "GET", "/api", "", browser).Body.String()
	w := ask(s, "GET", "/api", "", browser, "Accept-Encoding: gzip")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() > len(plain)/2 {
		t.Fatalf("page not compressed: %q, %d of %d bytes", w.Header().Get("Content-Encoding"), w.Body.Len(), len(plain))
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); string(got) != plain {
		t.Error("the compressed page is another one")
	}
	if w := ask(s, "GET", "/nope", "", "Accept-Encoding: gzip"); w.Header().Get("Content-Encoding") != "gzip" {
		t.Error("an error's JSON is not compressed")
	}
}

func TestTheme(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "POST", "/theme", "theme=dark&back=%2Fapi%3Fa%3Db", "Content-Type: application/x-www-form-urlencoded")
	if w.Code != 303 || w.Header().Get("Location") != "/api?a=b" || !strings.HasPrefix(w.Header().Get("Set-Cookie"), "theme=dark;") {
		t.Errorf("%d to %q with %q", w.Code, w.Header().Get("Location"), w.Header().Get("Set-Cookie"))
	}
	for cookie, want := range map[string]string{"dark": `data-theme="dark"`, "light": `data-theme="light"`, "auto": `<html lang="en">`, `x" onload="`: `<html lang="en">`} {
		if html := ask(s, "GET", "/api", "", browser, "Cookie: theme="+cookie).Body.String(); !strings.Contains(html, want) {
			t.Errorf("cookie %q: no %s", cookie, want)
		}
	}
	if w := ask(s, "POST", "/theme", "theme=pink", "Content-Type: application/x-www-form-urlencoded"); w.Code != 422 {
		t.Errorf("theme pink: %d, want 422", w.Code)
	}
	for back, want := range map[string]string{"//evil.example/": "/", "http://evil.example": "/", "/\\evil.example": "/", "": "/", "api": "/", "/runs?sort=name": "/runs?sort=name", "/a//b": "/a//b"} {
		if got := localPath(back); got != want {
			t.Errorf("localPath(%q) = %q, want %q", back, got, want)
		}
	}
}

// TestErrorsLeadOn: the page of an error leads to the list on which its reader can choose again.
func TestErrorsLeadOn(t *testing.T) {
	s, _ := testServer(t, Config{})
	for path, to := range map[string]string{"/runs/none": "/runs", "/report/none": "/runs", "/compare?ids=a,b": "/runs",
		"/data/none": "/data", "/stratify/none": "/data", "/studies/none": "/studies", "/studies/preset/none": "/studies",
		"/help/none": "/help", "/verify/none": "/verify", "/none": "/"} {
		w := ask(s, "GET", path, "", browser)
		_, main, _ := strings.Cut(w.Body.String(), "<main")
		if w.Code != http.StatusNotFound || !strings.Contains(main, `<a href="`+to+`">`) {
			t.Errorf("%s: %d %.600s", path, w.Code, main)
		}
	}
}

package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"
)

// attributes lists the attributes in a page.
func attributes(t *testing.T, page string) (all []html.Attribute) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		all = append(all, n.Attr...)
	}
	return all
}

// TestBasePath follows every link under a base path: all lead to a page, and every address of the program includes
// the path, in whatever attribute.
func TestBasePath(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	s.cfg.BasePath = "/taper"
	// The path of a page in a form value is sent back, so it starts at the root.
	sent := map[string]bool{"value": true, "d": true}
	todo := []string{"/taper/", "/taper/stratify/" + id, "/taper/data/" + id + "/delete"}
	seen := map[string]bool{}
	for len(todo) > 0 && len(seen) < 150 {
		at := todo[0]
		todo = todo[1:]
		if path, _, _ := strings.Cut(at, "?"); seen[path] {
			continue
		} else {
			seen[path] = true
		}
		w := ask(s, "GET", at, "", browser)
		if w.Code == http.StatusSeeOther {
			todo = append(todo, w.Header().Get("Location"))
			continue
		}
		if w.Code != 200 {
			t.Errorf("%s: %d", at, w.Code)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for _, a := range attributes(t, w.Body.String()) {
			if strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "/taper/") && !sent[a.Key] {
				t.Errorf("%s: %s=%q leads out", at, a.Key, a.Val)
			}
			if u, err := url.Parse(a.Val); err == nil && (a.Key == "href" || a.Key == "src") && u.Path != "" {
				todo = append(todo, u.RequestURI())
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d addresses were followed, want more", len(seen))
	}
}

func TestBasePathAnswers(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv")
	s.cfg.BasePath = "/taper"
	if w := ask(s, "GET", "/taper", "", browser); w.Header().Get("Location") != "/taper/" {
		t.Errorf("/taper leads to %q", w.Header().Get("Location"))
	}
	w := ask(s, "POST", "/taper/theme", "theme=dark&back=%2Fruns", "Content-Type: application/x-www-form-urlencoded", browser)
	if w.Code != 303 || w.Header().Get("Location") != "/taper/runs" {
		t.Errorf("a form leads back to %q", w.Header().Get("Location"))
	}
	// Other paths: kept by the proxy, or stripped.
	for path, want := range map[string]int{"/taper/api": 200, "/api": 200, "/taperapi": 404, "/taper/taper/api": 404} {
		if w := ask(s, "GET", path, "", browser); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	// A part of a page inside JSON.
	w = ask(s, "GET", "/taper/data/"+id+"/delete", "", "Accept: application/json")
	if body := w.Body.String(); !strings.Contains(body, `action=\"/taper/data/`) || strings.Contains(body, `=\"/data/`) {
		t.Errorf("the dialog: %s", body)
	}
	// Downloads and answers of the API are not changed.
	s.echo.GET("/file", func(c echo.Context) error {
		c.Response().Header().Set("Content-Disposition", "attachment")
		return c.HTML(200, `<a href="/x">`)
	})
	if body := ask(s, "GET", "/taper/file", "").Body.String(); body != `<a href="/x">` {
		t.Errorf("a file: %s", body)
	}
}

func TestParseBasePath(t *testing.T) {
	for text, want := range map[string]string{"": "", "/": "", "/taper": "/taper", "/taper/": "/taper", "/a/b-c_1.2": "/a/b-c_1.2"} {
		if got, err := ParseBasePath(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"taper", "//", "/a//b", "/a b", "/..", "/a/../b", "/a?b", "/ä", "http://x/taper", `/a"b`} {
		if _, err := ParseBasePath(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestForwarded: X-Forwarded headers are used from trusted proxies only.
func TestForwarded(t *testing.T) {
	trusted, err := ParseProxies("192.0.2.1, 10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := testServer(t, Config{PasswordHash: testHash, TrustedProxies: trusted})
	var seen struct {
		ip, host string
		tls      bool
	}
	s.echo.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			seen.ip, seen.host, seen.tls = c.RealIP(), c.Request().Host, s.encrypted(c)
			return next(c)
		}
	})
	for _, c := range []struct {
		name, from string
		headers    map[string][]string
		ip, host   string
		tls        bool
	}{
		{"nothing said", "192.0.2.1:9", nil, "192.0.2.1", "127.0.0.1:8080", false},
		{"a proxy", "192.0.2.1:9", map[string][]string{"X-Forwarded-For": {"203.0.113.7"}, "X-Forwarded-Proto": {"https"},
			"X-Forwarded-Host": {"taper.example"}}, "203.0.113.7", "taper.example", true},
		{"what the visitor wrote before", "192.0.2.1:9", map[string][]string{"X-Forwarded-For": {"127.0.0.1, 203.0.113.7"},
			"X-Forwarded-Proto": {"https, http"}, "X-Forwarded-Host": {"evil.example, taper.example"}},
			"203.0.113.7", "taper.example", false},
		{"two proxies", "192.0.2.1:9", map[string][]string{"X-Forwarded-For": {"1.1.1.1", "203.0.113.7, 10.2.3.4"}},
			"203.0.113.7", "127.0.0.1:8080", false},
		{"nobody trusted", "203.0.113.9:9", map[string][]string{"X-Forwarded-For": {"127.0.0.1"},
			"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"taper.example"}}, "203.0.113.9", "127.0.0.1:8080", false},
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8080/healthz", nil)
		r.RemoteAddr = c.from
		for name, values := range c.headers {
			r.Header[name] = values
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 || seen.ip != c.ip || seen.host != c.host || seen.tls != c.tls {
			t.Errorf("%s: %d, %+v", c.name, w.Code, seen)
		}
	}
	for _, bad := range []string{"", "proxy.example", "10.0.0.0/33", "10.0.0.0/8,"} {
		if _, err := ParseProxies(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

package httpio

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

// tagged is a server of one page, which counts the renderings.
type tagged struct {
	echo          *echo.Echo
	made          int
	tagger        Tagger
	revision      string
	none, passing bool
	status        int
	cookie        string // of the session, sent with requests
}

func newTagged() *tagged {
	p := &tagged{echo: echo.New(), status: http.StatusOK, revision: "1"}
	p.tagger = Tagger{Start: "v1", Visitor: func(c echo.Context) string {
		k, err := c.Cookie("theme")
		if err != nil {
			return ""
		}
		return k.Value
	}}
	around := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if p.cookie != "" {
				c.SetCookie(&http.Cookie{Name: "session", Value: p.cookie})
			}
			c.Response().Header().Set("Cache-Control", "no-store")
			return p.tagger.By(func(echo.Context) (string, bool) { return p.revision, !p.none })(next)(c)
		}
	}
	page := func(c echo.Context) error {
		p.made++
		if p.passing {
			Passing(c)
		}
		return c.HTML(p.status, "page")
	}
	p.echo.GET("/page", page, around)
	p.echo.HEAD("/page", page, around)
	p.echo.POST("/page", page, around)
	return p
}

func (p *tagged) ask(method, address string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+address, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Add(name, value); name == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	p.echo.ServeHTTP(w, r)
	return w
}

// TestNotModified requests twice, the second time with the tag of the first answer: an identical request renders
// nothing, others are answered.
func TestNotModified(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*tagged)
		method  string
		address string
		headers []string // TAG is replaced by the tag
		status  int
	}{
		"the same":               {status: 304},
		"HEAD":                   {method: "HEAD", status: 304},
		"in a list":              {headers: []string{`If-None-Match: "a", TAG ,W/"b"`}, status: 304},
		"in a second line":       {headers: []string{`If-None-Match: "a"`, "If-None-Match: TAG"}, status: 304},
		"any":                    {headers: []string{"If-None-Match: *"}, status: 200},
		"compared as strong tag": {headers: []string{"If-None-Match: STRONG"}, status: 304},
		"another tag":            {headers: []string{`If-None-Match: W/"a"`}, status: 200},
		"no tag":                 {headers: []string{"Accept-Encoding: gzip"}, status: 200},
		"damaged list":           {headers: []string{`If-None-Match: "a TAG`}, status: 200},
		"a range of it":          {headers: []string{"If-None-Match: TAG", "Range: bytes=0-1"}, status: 304},
		"another address":        {address: "/page?x=1", status: 200},
		"another host":           {headers: []string{"If-None-Match: TAG", "Host: localhost"}, status: 200},
		"JSON instead":           {headers: []string{"If-None-Match: TAG", "Accept: application/json"}, status: 200},
		"another theme":          {headers: []string{"If-None-Match: TAG", "Cookie: theme=dark"}, status: 200},
		"another cookie":         {headers: []string{"If-None-Match: TAG", "Cookie: other=dark"}, status: 304},
		"another start":          {change: func(p *tagged) { p.tagger.Start = "v2" }, status: 200},
		"changed meanwhile":      {change: func(p *tagged) { p.revision = "2" }, status: 200},
		"at work":                {change: func(p *tagged) { p.none = true }, status: 200},
		"with a new session":     {change: func(p *tagged) { p.cookie = "s" }, status: 200},
		"POST":                   {method: "POST", status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTagged()
			first := p.ask("GET", "/page")
			tag := first.Header().Get("ETag")
			if first.Code != 200 || !strings.HasPrefix(tag, `W/"`) || first.Body.String() != "page" ||
				first.Header().Get("Cache-Control") != "private, no-cache" {
				t.Fatalf("%d %v", first.Code, first.Header())
			}
			if vary := first.Header().Values("Vary"); strings.Join(vary, ",") != "Accept,Cookie" {
				t.Errorf("Vary: %q", vary)
			}
			if c.change != nil {
				c.change(p)
			}
			if c.method == "" {
				c.method = "GET"
			}
			if c.address == "" {
				c.address = "/page"
			}
			if c.headers == nil {
				c.headers = []string{"If-None-Match: TAG"}
			}
			for i, h := range c.headers {
				c.headers[i] = strings.NewReplacer("TAG", tag, "STRONG", strings.TrimPrefix(tag, "W/")).Replace(h)
			}
			w := p.ask(c.method, c.address, c.headers...)
			if w.Code != c.status {
				t.Fatalf("%d, want %d", w.Code, c.status)
			}
			if made := map[int]int{304: 1, 200: 2}[c.status]; p.made != made {
				t.Errorf("made %d times, want %d", p.made, made)
			}
			if c.status == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") != tag ||
				w.Header().Get("Cache-Control") != "private, no-cache") {
				t.Errorf("%q %v", w.Body, w.Header())
			}
		})
	}
}

// TestNotTagged requests answers that no browser may store.
func TestNotTagged(t *testing.T) {
	for name, change := range map[string]func(*tagged){
		"on its way":       func(p *tagged) { p.passing = true },
		"without revision": func(p *tagged) { p.none = true },
		"an error":         func(p *tagged) { p.status = http.StatusUnprocessableEntity },
		"with a cookie":    func(p *tagged) { p.cookie = "s" },
	} {
		p := newTagged()
		change(p)
		w := p.ask("GET", "/page")
		if w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
	if w := newTagged().ask("POST", "/page"); w.Header().Get("ETag") != "" {
		t.Errorf("POST: %v", w.Header())
	}
}

package web

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"taper/internal/web/session"
)

// FuzzParseHash: an accepted hash is written unchanged and has an acceptable cost.
func FuzzParseHash(f *testing.F) {
	f.Add(testHash)
	f.Add(strings.Replace(testHash, "p=1", "p=1,x=2", 1))
	f.Add("$argon2id$v=19$m=+8192,t=01,p=1$c29tZXNhbHQw$qme0vd7HlKjtpkJhfrOXLS6XBgWk78H2aa1CWZ1niiE")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := session.ParseHash(text)
		if err != nil {
			return
		}
		cost, salt, key, err := argon2id.DecodeHash(string(h))
		if err != nil {
			t.Fatalf("%q is accepted and cannot be read: %v", text, err)
		}
		b64 := base64.RawStdEncoding.EncodeToString
		if again := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", cost.Memory, cost.Iterations, cost.Parallelism, b64(salt), b64(key)); again != text {
			t.Errorf("%q is written back as %q", text, again)
		}
		if cost.Memory > 4<<20 || cost.Iterations < 1 || cost.Iterations > 64 || cost.Parallelism < 1 {
			t.Errorf("%q costs %+v", text, *cost)
		}
	})
}

// FuzzLocalPath: a way back never leads to another host.
func FuzzLocalPath(f *testing.F) {
	for _, to := range []string{"/runs?sort=name", "//evil.example", "/\\evil.example", "http://evil.example", "/%2f%2fevil.example", "/..//evil.example", "\t//evil.example"} {
		f.Add(to)
	}
	here, _ := url.Parse("http://127.0.0.1:8080/theme")
	f.Fuzz(func(t *testing.T, to string) {
		got := localPath(to)
		there, err := here.Parse(got)
		if err != nil || there.Host != here.Host || there.Scheme != here.Scheme || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\n\r\t") {
			t.Errorf("%q leads to %q, %v", to, got, err)
		}
	})
}

// FuzzHost: an accepted Host names this machine also in a browser's interpretation.
func FuzzHost(f *testing.F) {
	for _, host := range []string{"localhost:8080", "[::1]:8080", "127.0.0.1", "127.0.0.1.evil.example", "[::ffff:127.0.0.1]", "localhost:evil.example", "[localhost]", "127.0.0.1%25x"} {
		f.Add(host)
	}
	s := &Server{cfg: Config{Listen: "127.0.0.1:8080"}}
	f.Fuzz(func(t *testing.T, host string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		if !s.ownHost(hostName(host)) {
			return
		}
		u, err := url.Parse("http://" + host + "/")
		if err == nil && !loopbackName(u.Hostname()) {
			t.Errorf("Host %q is answered and means %q", host, u.Hostname())
		}
	})
}

// FuzzTrustedProxies: accepted networks are those given, and headers from other addresses are ignored.
func FuzzTrustedProxies(f *testing.F) {
	for _, text := range []string{"127.0.0.1", "10.0.0.0/8, ::1", "::ffff:10.0.0.0/104", "fe80::1%eth0", "0.0.0.0/0", ",", "10.0.0.1/33"} {
		f.Add(text, "192.0.2.7, 10.1.2.3")
		f.Add(text, ",")
	}
	f.Fuzz(func(t *testing.T, text, header string) {
		all, err := ParseProxies(text)
		if err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = "198.51.100.1:9" // in no trusted network
		r.Header["X-Forwarded-For"] = []string{header}
		at := all.addresses()(r)
		if !all.sent(r) && at != "198.51.100.1" {
			t.Errorf("%q, told %q by a stranger, takes the visitor for %q", text, header, at)
		}
		for _, n := range all {
			if !n.IsValid() || n != n.Masked() {
				t.Errorf("%q holds %v", text, n)
			}
		}
	})
}

// FuzzBasePath: an accepted path leads to no other host, and its text parses back to it.
func FuzzBasePath(f *testing.F) {
	for _, text := range []string{"", "/", "/taper", "/a/b.c/", "//evil.example", "/../x", "/.", "/a b", "/a%2f"} {
		f.Add(text)
	}
	here, _ := url.Parse("http://127.0.0.1:8080/")
	f.Fuzz(func(t *testing.T, text string) {
		base, err := ParseBasePath(text)
		if err != nil {
			return
		}
		there, err := here.Parse(base + "/runs")
		if err != nil || there.Host != here.Host || there.Path != base+"/runs" {
			t.Errorf("%q is %q and leads to %v: %v", text, base, there, err)
		}
		if again, err := ParseBasePath(base); err != nil || again != base {
			t.Errorf("%q is %q, then %q: %v", text, base, again, err)
		}
	})
}

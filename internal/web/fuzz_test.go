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

// FuzzParseHash: what is accepted is written back as it came, and is no cost
// that would stop the machine.
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

// FuzzHost: a Host that is answered names this machine when a browser reads
// it, too.
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

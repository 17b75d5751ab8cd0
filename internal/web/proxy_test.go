package web

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"taper/internal/testlog"
	"taper/internal/testtime"
)

// A proxyKind is a reverse proxy from Debian with TLS, configured as in its manual. Its configuration has
// placeholders: DIR, its folder; PORT; TAPER, the address of Taper.
type proxyKind struct {
	name, program string
	args          func(dir string) []string
	config        string
}

var proxyKinds = []proxyKind{
	{"nginx, path kept", "nginx", nginxArgs, nginxConfig(false)},
	{"nginx, path stripped", "nginx", nginxArgs, nginxConfig(true)},
	{"caddy, path kept", "caddy", caddyArgs, caddyConfig(false)},
	{"caddy, path stripped", "caddy", caddyArgs, caddyConfig(true)},
}

func nginxArgs(dir string) []string {
	return []string{"-p", dir, "-c", filepath.Join(dir, "config"), "-e", "stderr"}
}

func caddyArgs(dir string) []string {
	return []string{"run", "--adapter", "caddyfile", "--config", filepath.Join(dir, "config")}
}

// example is a file of deploy/ with its host names replaced by those of this machine. Each must occur, so that the
// test runs the configuration in the file.
func example(file string, names ...string) string {
	text, err := os.ReadFile(filepath.Join("../../deploy", file))
	if err != nil {
		return err.Error() // an invalid configuration for every proxy
	}
	for i := 0; i < len(names); i += 2 {
		if strings.Count(string(text), names[i]) != 1 {
			return file + " does not hold " + names[i]
		}
	}
	return strings.NewReplacer(names...).Replace(string(text))
}

func nginxConfig(strip bool) string {
	to := "proxy_pass http://TAPER;"
	if strip {
		to = "proxy_pass http://TAPER/;"
	}
	return `daemon off;
master_process off;
pid DIR/pid;
events {}
http {
	access_log off;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
` + example("nginx.conf", "listen 443 ssl;", "listen 127.0.0.1:PORT ssl;", "/etc/ssl/taper.pem", "DIR/cert.pem",
		"/etc/ssl/taper.key", "DIR/key.pem", "proxy_pass http://127.0.0.1:8080;", to) + "}\n"
}

func caddyConfig(strip bool) string {
	handle := "\thandle /taper/* {"
	if strip {
		handle = "\thandle_path /taper/* {"
	}
	return `{
	admin off
	auto_https off
	storage file_system DIR/caddy
}
` + example("Caddyfile", "\ntaper.example.org {", "\nhttps://localhost:PORT {\n\tbind 127.0.0.1\n\ttls DIR/cert.pem DIR/key.pem",
		"\thandle /taper/* {", handle, "reverse_proxy 127.0.0.1:8080", "reverse_proxy TAPER")
}

// TestProxies signs in and works through the reverse proxies that are documented for remote access.
func TestProxies(t *testing.T) {
	for _, kind := range proxyKinds {
		t.Run(kind.name, func(t *testing.T) {
			program, err := exec.LookPath(kind.program)
			if err != nil {
				t.Skipf("%s is not installed (apt install %[1]s)", kind.program)
			}
			trusted, err := ParseProxies("127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			s, _ := testServer(t, Config{PasswordHash: testHash, TrustedProxies: trusted, BasePath: "/taper"})
			web := httptest.NewServer(s)
			defer web.Close()
			front := startProxy(t, program, kind, web.Listener.Addr().String())
			jar, _ := cookiejar.New(nil)
			// From an address other than those of trusted proxies.
			from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
			visitor := http.Client{Jar: jar, Transport: &http.Transport{DialContext: from.DialContext,
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			send := func(method, path, origin string, form url.Values) *http.Response {
				r, err := http.NewRequest(method, front+path, strings.NewReader(form.Encode()))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", "text/html")
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("X-Forwarded-For", "198.51.100.1") // written by the visitor
				if origin != "" {
					r.Header.Set("Origin", origin)
				}
				res, err := visitor.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { res.Body.Close() })
				return res
			}
			if res := send("GET", "/taper/runs", "", nil); res.Header.Get("Location") != "/taper/login" {
				t.Fatalf("before the sign-in: %s, %q", res.Status, res.Header.Get("Location"))
			}
			password := url.Values{"password": {testPassword}}
			if res := send("POST", "/taper/login", "https://evil.example", password); res.StatusCode != 403 {
				t.Errorf("from another site: %s", res.Status)
			}
			res := send("POST", "/taper/login", front, password)
			if set := res.Header.Get("Set-Cookie"); res.Header.Get("Location") != "/taper/" || !strings.Contains(set, "; Secure") {
				t.Fatalf("sign-in: %s to %q, %q", res.Status, res.Header.Get("Location"), set)
			}
			res = send("GET", "/taper/sessions", "", nil)
			var page bytes.Buffer
			if _, err := page.ReadFrom(res.Body); err != nil || res.StatusCode != 200 {
				t.Fatal(res.Status, err)
			}
			if strings.Contains(page.String(), "198.51.100.1") || !strings.Contains(page.String(), "127.0.0.2") {
				t.Error("the visitor's address is the one that the visitor wrote")
			}
			if res := send("GET", "/taper"+s.static.Prefix()+"js/app.js", "", nil); res.StatusCode != 200 {
				t.Errorf("a script: %s", res.Status)
			}
			if res := send("POST", "/taper/logout", front, nil); res.Header.Get("Location") != "/taper/login" {
				t.Errorf("sign-out: %s", res.Status)
			}
			if res := send("GET", "/taper/runs", "", nil); res.StatusCode != 303 {
				t.Errorf("after the sign-out: %s", res.Status)
			}
		})
	}
}

// startProxy runs a proxy until the test ends, and returns its address.
func startProxy(t *testing.T, program string, kind proxyKind, taper string) string {
	t.Helper()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	cert, key := certificate(t)
	config := strings.NewReplacer("DIR", dir, "PORT", port, "TAPER", taper).Replace(kind.config)
	for name, content := range map[string]string{"cert.pem": cert, "key.pem": key, "config": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(program, kind.args(dir)...)
	run.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	said := &testlog.Log{}
	run.Stderr = said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	testtime.Until(t, "the proxy answers", func() bool {
		c, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "https://localhost:" + port
}

// certificate is a self-signed one for localhost.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}))
}

package web

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2/memstore"
	"github.com/labstack/echo/v4"

	"taper/internal/web/api"
	"taper/internal/web/session"
)

// testHash is argon2id of testPassword; computed with Debian's argon2 command
// (echo -n … | argon2 somesalt0 -id -t 1 -m 13 -p 1 -l 32 -e).
const (
	testPassword = "correct horse battery"
	testHash     = "$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHQw$qme0vd7HlKjtpkJhfrOXLS6XBgWk78H2aa1CWZ1niiE"
)

func TestHash(t *testing.T) {
	h, err := session.ParseHash(testHash)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Matches(testPassword) || h.Matches(testPassword+" ") || h.Matches("") {
		t.Error("the hash of another program is not understood")
	}
	if string(h) != testHash {
		t.Errorf("written back as %s", h)
	}
	for _, bad := range []string{
		"", "secret", "$2b$12$abcdefghijklmnopqrstuv", strings.Replace(testHash, "argon2id", "argon2i", 1),
		strings.Replace(testHash, "v=19", "v=16", 1), strings.Replace(testHash, "m=8192", "m=8", 1),
		strings.Replace(testHash, "m=8192", "m=99999999", 1), strings.Replace(testHash, "t=1", "t=0", 1),
		strings.Replace(testHash, "p=1", "p=0", 1), testHash[:strings.LastIndex(testHash, "$")+1], testHash + "$x", testHash + "=",
		"x" + testHash, testHash + "\n", strings.Replace(testHash, "p=1", "p=1,x=2", 1), strings.Replace(testHash, "m=8192", "m=+8192", 1),
		strings.Replace(testHash, "t=1", "t=01", 1), strings.Replace(testHash, "p=1", "p=256", 1), strings.Replace(testHash, "v=19", "v=19x", 1),
		strings.Replace(testHash, "c29t", "c29\n", 1), strings.Replace(testHash, "iiE", "iiF", 1),
	} {
		if _, err := session.ParseHash(bad); err == nil {
			t.Errorf("session.ParseHash(%q) accepts it", bad)
		}
	}
}

func TestSignIn(t *testing.T) {
	s, _ := testServer(t, Config{Listen: "0.0.0.0:8080", PasswordHash: testHash})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.sessions.now = func() time.Time { return clock }
	const form = "Content-Type: application/x-www-form-urlencoded"
	if w := ask(s, "GET", "/api", "", browser); w.Code != 303 || w.Header().Get("Location") != "/login" {
		t.Errorf("a page without a session: %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := ask(s, "GET", "/api/v1/openapi.json", ""); w.Code != 401 {
		t.Errorf("the API without a session: %d", w.Code)
	}
	if w := ask(s, "GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("/healthz without a session: %d", w.Code)
	}
	if w := ask(s, "POST", "/login", "password=wrong", form, browser); w.Code != 422 || !strings.Contains(w.Body.String(), "That is not the password.") {
		t.Errorf("a wrong password: %d", w.Code)
	}
	w := ask(s, "POST", "/login", "password=correct+horse+battery", form, browser)
	cookie, attrs, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	if w.Code != 303 || !strings.Contains(attrs, "HttpOnly") || !strings.Contains(attrs, "SameSite=Strict") {
		t.Fatalf("the right password: %d, %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie); w.Code != 200 || !strings.Contains(w.Body.String(), "Sign out") {
		t.Errorf("with the session: %d", w.Code)
	}
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie+"x"); w.Code != 303 {
		t.Errorf("with a made-up session: %d", w.Code)
	}
	clock = clock.Add(sessionIdle + time.Second)
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie); w.Code != 303 {
		t.Errorf("with an old session: %d", w.Code)
	}
	cookie, _, _ = strings.Cut(ask(s, "POST", "/login", "password=correct+horse+battery", form).Header().Get("Set-Cookie"), ";")
	ask(s, "POST", "/logout", "", "Cookie: "+cookie)
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie); w.Code != 303 {
		t.Errorf("after signing out: %d", w.Code)
	}
}

// TestSignInQuery: a password in the address is not accepted, since addresses are logged.
func TestSignInQuery(t *testing.T) {
	s, log := testServer(t, Config{PasswordHash: testHash})
	w := ask(s, "POST", "/login?password=correct+horse+battery", "", "Content-Type: application/x-www-form-urlencoded", browser)
	if w.Code != 422 || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%d, %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	if strings.Contains(log.String(), "horse") {
		t.Error("the log holds the password")
	}
}

// TestSignInLimit: after five wrong passwords an address is refused, with a message and a time; open sessions of
// that address continue, and other addresses can sign in.
func TestSignInLimit(t *testing.T) {
	proxies, err := ParseProxies("192.0.2.0/24")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := testServer(t, Config{PasswordHash: testHash, TrustedProxies: proxies})
	const form = "Content-Type: application/x-www-form-urlencoded"
	here, there := "X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 203.0.113.8"
	cookie, _ := signIn(t, s, here)
	for range 5 {
		if w := ask(s, "POST", "/login", "password=wrong", form, browser, here); w.Code != 422 {
			t.Fatalf("a wrong password: %d", w.Code)
		}
	}
	w := ask(s, "POST", "/login", "password=correct+horse+battery", form, browser, here)
	if w.Code != 429 || w.Header().Get("Retry-After") != "60" || !strings.Contains(w.Body.String(), "Wait a minute") {
		t.Errorf("the sixth: %d, %v", w.Code, w.Header())
	}
	if w := ask(s, "GET", "/api", "", browser, cookie, here); w.Code != 200 {
		t.Errorf("a session of the same address: %d", w.Code)
	}
	signIn(t, s, there)
}

// TestSessionList: each session is described to its owner and can be ended there.
func TestSessionList(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	clock := time.Date(2026, 1, 1, 9, 30, 0, 0, time.UTC)
	s.sessions.now = func() time.Time { return clock }
	fox, _ := signIn(t, s, "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
	clock = clock.Add(2 * time.Hour)
	own, _ := signIn(t, s, "User-Agent: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36")
	third, _ := signIn(t, s, "User-Agent: curl/8.0")
	page := ask(s, "GET", "/sessions", "", browser, own).Body.String()
	for _, want := range []string{"Firefox", "Chrome", "curl", "192.0.2.1", "1 January 2026, 09:30 UTC", "1 January 2026, 11:30 UTC"} {
		if !strings.Contains(page, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if n := strings.Count(page, "this one"); n != 1 {
		t.Errorf("%d sessions are this one", n)
	}
	all, err := s.sessions.all(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	of := map[string]string{}
	for _, one := range all {
		of[one.Browser] = one.ID
	}
	const form = "Content-Type: application/x-www-form-urlencoded"
	opens := func(cookie string) bool { return ask(s, "GET", "/api", "", browser, cookie).Code == 200 }
	ask(s, "POST", "/sessions", "id="+of["curl"], form, own)
	if opens(third) || !opens(fox) || !opens(own) {
		t.Error("another session than the one asked for ended")
	}
	ask(s, "POST", "/sessions", "id=", form, own)
	if opens(fox) || !opens(own) {
		t.Error("all others: not these ended")
	}
	if w := ask(s, "POST", "/sessions", "id="+of["Chrome"], form, own); w.Header().Get("Location") != "/login" || opens(own) {
		t.Error("one's own session does not end from the list")
	}
}

// signIn sends the correct password with the headers, and returns the cookie as a header of later requests, and its
// attributes.
func signIn(t *testing.T, s *Server, headers ...string) (header, attrs string) {
	t.Helper()
	headers = append([]string{"Content-Type: application/x-www-form-urlencoded", browser}, headers...)
	w := ask(s, "POST", "/login", "password=correct+horse+battery", headers...)
	if set := w.Header()["Set-Cookie"]; w.Code != 303 || len(set) != 1 || !strings.HasPrefix(set[0], "session=") {
		t.Fatalf("the right password: %d, %q", w.Code, set)
	}
	cookie, attrs, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return "Cookie: " + cookie, attrs
}

// TestSessionFixation: a sign-in never adopts a token that the browser had before, neither an invented one nor that
// of an open session, and ends that session.
func TestSessionFixation(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	const madeUp = "Cookie: session=chosen-by-somebody-else"
	first, _ := signIn(t, s, madeUp)
	second, _ := signIn(t, s, first)
	if first == madeUp || second == first {
		t.Errorf("the sign-in kept the token: %q, then %q", first, second)
	}
	for cookie, want := range map[string]int{madeUp: 303, first: 303, second: 200} {
		if w := ask(s, "GET", "/api", "", browser, cookie); w.Code != want {
			t.Errorf("with %q: %d, want %d", cookie, w.Code, want)
		}
	}
	ask(s, "POST", "/login", "password=wrong", "Content-Type: application/x-www-form-urlencoded", second)
	if w := ask(s, "GET", "/api", "", browser, second); w.Code != 200 {
		t.Errorf("a wrong password ended the session: %d", w.Code)
	}
}

// TestSessions: sessions end twelve hours after the last use, seven days after their start, or with their sign-out.
// The server stores no token, so that reading its memory gives no access.
func TestSessions(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.sessions.now = func() time.Time { return clock }
	opens := func(cookie string) bool { return ask(s, "GET", "/api", "", browser, cookie).Code == 200 }
	idle, _ := signIn(t, s)
	early, _ := signIn(t, s)
	for range 7 * 24 / 11 { // used every eleven hours it lasts for seven days
		clock = clock.Add(11 * time.Hour)
		if !opens(early) {
			t.Fatalf("a session that is used ends on %v", clock)
		}
	}
	if opens(idle) {
		t.Error("a session that nobody uses goes on")
	}
	clock = time.Date(2026, 1, 7, 23, 59, 59, 0, time.UTC)
	late, _ := signIn(t, s)
	gone, attrs := signIn(t, s)
	if !strings.Contains(attrs, "Max-Age=432") {
		t.Errorf("attributes %q, want twelve hours", attrs)
	}
	if !opens(early) || !opens(late) || !opens(gone) {
		t.Error("a session does not last for seven days")
	}
	w := ask(s, "POST", "/logout", "", gone)
	if set := w.Header().Get("Set-Cookie"); w.Code != 303 || !strings.HasPrefix(set, "session=;") || !strings.Contains(set, "Max-Age=0") {
		t.Errorf("sign-out: %d, %q", w.Code, set)
	}
	clock = clock.Add(time.Second)
	if opens(early) || !opens(late) || opens(gone) {
		t.Error("the end of one session is not its own")
	}
	kept, err := s.sessions.manager.Store.(*memstore.MemStore).All()
	if err != nil || len(kept) != 2 {
		t.Errorf("%d sessions are kept, %v; want those not signed out", len(kept), err)
	}
	for _, cookie := range []string{early, late} {
		if _, found := kept[strings.TrimPrefix(cookie, "Cookie: session=")]; found {
			t.Error("the token is kept as it is")
		}
	}
	again, _ := testServer(t, Config{PasswordHash: testHash})
	if w := ask(again, "GET", "/api", "", browser, late); w.Code != 303 {
		t.Errorf("a session outlives the program: %d", w.Code)
	}
}

// TestSessionCookieSecure: Secure is set for TLS only, or browsers would not return the cookie.
func TestSessionCookieSecure(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	if _, attrs := signIn(t, s); strings.Contains(attrs, "Secure") {
		t.Errorf("without TLS: %q", attrs)
	}
	r := httptest.NewRequest("POST", "https://127.0.0.1:8080/login", strings.NewReader("password=correct+horse+battery"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if set := w.Header().Get("Set-Cookie"); w.Code != 303 || !strings.Contains(set, "; Secure") {
		t.Errorf("with TLS: %d, %q", w.Code, set)
	}
}

// TestSessionElsewhere: the sign-in page and static files need no session.
func TestSessionElsewhere(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	cookie, _ := signIn(t, s)
	if w := ask(s, "GET", "/api", "", browser, "Host: evil.example", cookie); w.Code != 403 || !strings.Contains(w.Body.String(), "evil.example") {
		t.Errorf("a foreign host: %d", w.Code)
	}
	w := ask(s, "GET", s.static.Prefix()+"js/app.js", "", cookie)
	if w.Code != 200 || strings.Contains(strings.Join(w.Header()["Vary"], ","), "Cookie") || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a file: %d, %v", w.Code, w.Header())
	}
}

// TestSessionStream: only signed-in clients receive events while they are sent.
func TestSessionStream(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	feed := make(chan api.Event)
	s.echo.GET("/events", func(c echo.Context) error { return s.api.Streams.Send(c, feed) })
	web := httptest.NewServer(s)
	defer web.Close()
	defer close(feed)
	if res := get(t, web.URL+"/events"); res.StatusCode != 401 {
		t.Fatalf("without a session: %d", res.StatusCode)
	}
	r, err := http.NewRequest("GET", web.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := signIn(t, s)
	r.Header.Set("Cookie", strings.TrimPrefix(cookie, "Cookie: "))
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	defer res.Body.Close()
	feed <- api.Event{Name: "progress", Data: 1}
	want(t, bufio.NewReader(res.Body), "id: 1", "event: progress", "data: 1", "")
}

// counted is a body that tells how much of it was read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// TestOpenFormsAreShort: of a large body to a form that needs no sign-in only the beginning is read.
func TestOpenFormsAreShort(t *testing.T) {
	s, _ := testServer(t, Config{PasswordHash: testHash})
	for _, path := range []string{"/login", "/theme"} {
		body := &counted{Reader: strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" +
			strings.Repeat("x", 4<<20) + "\r\n--b--\r\n")}
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, body)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code < 400 || w.Code >= 500 || body.n > 256<<10 {
			t.Errorf("%s: %d, %d bytes were read", path, w.Code, body.n)
		}
	}
}

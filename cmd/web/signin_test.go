package main

import (
	"strings"
	"testing"
	"time"
)

// testHash is argon2id of testPassword; computed with Debian's argon2 command
// (echo -n … | argon2 somesalt0 -id -t 1 -m 13 -p 1 -l 32 -e).
const (
	testPassword = "correct horse battery"
	testHash     = "$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHQw$qme0vd7HlKjtpkJhfrOXLS6XBgWk78H2aa1CWZ1niiE"
)

func TestHash(t *testing.T) {
	h, err := parseHash(testHash)
	if err != nil {
		t.Fatal(err)
	}
	if !h.matches(testPassword) || h.matches(testPassword+" ") || h.matches("") {
		t.Error("the hash of another program is not understood")
	}
	if h.String() != testHash {
		t.Errorf("written back as %s", h)
	}
	for _, bad := range []string{
		"", "secret", "$2b$12$abcdefghijklmnopqrstuv", strings.Replace(testHash, "argon2id", "argon2i", 1),
		strings.Replace(testHash, "v=19", "v=16", 1), strings.Replace(testHash, "m=8192", "m=8", 1),
		strings.Replace(testHash, "m=8192", "m=99999999", 1), strings.Replace(testHash, "t=1", "t=0", 1),
		strings.Replace(testHash, "p=1", "p=0", 1), testHash[:strings.LastIndex(testHash, "$")+1], testHash + "$x", testHash + "=",
	} {
		if _, err := parseHash(bad); err == nil {
			t.Errorf("parseHash(%q) accepts it", bad)
		}
	}
}

func TestPasswordCommand(t *testing.T) {
	code, out, stderr := tryRun(t, "a long enough one\n", nil, "password")
	if code != 0 {
		t.Fatal(stderr)
	}
	h, err := parseHash(strings.TrimSpace(out))
	if err != nil || !h.matches("a long enough one") {
		t.Errorf("%q, %v", out, err)
	}
	if code, _, stderr := tryRun(t, "short\n", nil, "password"); code != 1 || !strings.Contains(stderr, "12 characters") {
		t.Errorf("%d %q", code, stderr)
	}
}

func TestSignIn(t *testing.T) {
	s, _ := testServer(t, config{listen: "0.0.0.0:8080", password: testHash})
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
	clock = clock.Add(sessionLife + time.Second)
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie); w.Code != 303 {
		t.Errorf("with an old session: %d", w.Code)
	}
	cookie, _, _ = strings.Cut(ask(s, "POST", "/login", "password=correct+horse+battery", form).Header().Get("Set-Cookie"), ";")
	ask(s, "POST", "/logout", "", "Cookie: "+cookie)
	if w := ask(s, "GET", "/api", "", browser, "Cookie: "+cookie); w.Code != 303 {
		t.Errorf("after signing out: %d", w.Code)
	}
}

func TestSignInRate(t *testing.T) {
	s, _ := testServer(t, config{password: testHash})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.sessions.now = func() time.Time { return clock }
	try := func(password string) error { _, err := s.sessions.signIn(password); return err }
	for range triesAMinute {
		if try("guess") == nil {
			t.Fatal("a guess was right")
		}
	}
	if err := try(testPassword); err == nil {
		t.Error("the right password passes after too many wrong ones")
	}
	clock = clock.Add(time.Minute + time.Second)
	if err := try(testPassword); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

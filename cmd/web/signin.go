package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/errs"
	"taper/web/templates"
)

// sessions knows who has given the password. It keeps hashes of the tokens in
// memory only: a restart signs everybody out.
type sessions struct {
	hash hash
	now  func() time.Time

	mu    sync.Mutex // also makes guesses wait for one another
	until map[[sha256.Size]byte]time.Time
	fails []time.Time // wrong passwords of the last minute
}

const (
	sessionCookie = "session"
	sessionLife   = 12 * time.Hour
	triesAMinute  = 5
)

func newSessions(phc string, now func() time.Time) (*sessions, error) {
	h, err := parseHash(phc)
	return &sessions{hash: h, now: now, until: map[[sha256.Size]byte]time.Time{}}, err
}

// signIn returns a token for the right password. Five wrong ones in a minute
// close the door for the rest of it.
func (s *sessions) signIn(password string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for len(s.fails) > 0 && now.Sub(s.fails[0]) > time.Minute {
		s.fails = s.fails[1:]
	}
	if len(s.fails) >= triesAMinute {
		return "", echo.NewHTTPError(http.StatusTooManyRequests)
	}
	if !s.hash.matches(password) {
		s.fails = append(s.fails, now)
		return "", errs.BadField("password", "is not the right one")
	}
	token := make([]byte, 32)
	rand.Read(token)
	text := base64.RawURLEncoding.EncodeToString(token)
	for k, end := range s.until {
		if now.After(end) {
			delete(s.until, k)
		}
	}
	s.until[sha256.Sum256([]byte(text))] = now.Add(sessionLife)
	return text, nil
}

func (s *sessions) signOut(c echo.Context) {
	if k, err := c.Cookie(sessionCookie); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.until, sha256.Sum256([]byte(k.Value)))
	}
}

// valid reports whether the request carries a live session.
func (s *sessions) valid(c echo.Context) bool {
	k, err := c.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.until[sha256.Sum256([]byte(k.Value))])
}

// signedIn lets nobody past without a session but to the door itself.
func (s *Server) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		p := c.Request().URL.Path
		switch {
		case p == "/healthz", p == "/login", p == "/theme", strings.HasPrefix(p, "/static/"), s.sessions.valid(c):
			return next(c)
		case wantsJSON(c) || c.Request().Method != http.MethodGet:
			return echo.NewHTTPError(http.StatusUnauthorized)
		}
		return c.Redirect(http.StatusSeeOther, "/login")
	}
}

// loginPage answers GET /login.
func (s *Server) loginPage(c echo.Context) error {
	return s.render(c, http.StatusOK, templates.Login(s.page(c, "Sign in"), ""))
}

// login answers POST /login.
func (s *Server) login(c echo.Context) error {
	token, err := s.sessions.signIn(c.FormValue("password"))
	if errs.Is(err, errs.Invalid) && !wantsJSON(c) {
		return s.render(c, http.StatusUnprocessableEntity, templates.Login(s.page(c, "Sign in"), "That is not the password."))
	}
	if err != nil {
		return err
	}
	c.SetCookie(&http.Cookie{Name: sessionCookie, Value: token, Path: "/", MaxAge: int(sessionLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.IsTLS()})
	return c.Redirect(http.StatusSeeOther, "/")
}

// logout answers POST /logout.
func (s *Server) logout(c echo.Context) error {
	s.sessions.signOut(c)
	c.SetCookie(&http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1})
	return c.Redirect(http.StatusSeeOther, "/login")
}

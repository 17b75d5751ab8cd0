package web

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/session"
	"taper/web/templates"
)

// sessions knows who has given the password. The sessions themselves are kept
// in memory, under hashes of their tokens: a restart signs everybody out.
type sessions struct {
	hash    session.Hash
	now     func() time.Time
	manager *scs.SessionManager

	mu    sync.Mutex  // also makes guesses wait for one another
	fails []time.Time // wrong passwords of the last minute
}

const (
	sessionCookie = "session"
	sessionLife   = 12 * time.Hour
	sessionEnd    = "end" // a session's only value: when it ends, in Unix seconds
	triesAMinute  = 5
)

func newSessions(phc string, now func() time.Time) (*sessions, error) {
	h, err := session.ParseHash(phc)
	if err != nil {
		return nil, err
	}
	m := scs.New()
	m.Lifetime = sessionLife
	m.HashTokenInStore = true
	m.Cookie.Name = sessionCookie
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteStrictMode
	return &sessions{hash: h, now: now, manager: m}, nil
}

// check compares a password with the hash. Five wrong ones in a minute close
// the door for the rest of it. A token bucket would open it again after twelve
// seconds, for one more guess.
func (s *sessions) check(password string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for len(s.fails) > 0 && now.Sub(s.fails[0]) > time.Minute {
		s.fails = s.fails[1:]
	}
	if len(s.fails) >= triesAMinute {
		return echo.NewHTTPError(http.StatusTooManyRequests)
	}
	if !s.hash.Matches(password) {
		s.fails = append(s.fails, now)
		return usererr.BadField("password", "is not the right one")
	}
	return nil
}

// load returns a context with the session that the request's cookie names, or
// with an empty one. We call the manager here and in the two handlers below, and
// not its middleware for every request: that one answers every request with
// “Vary: Cookie”, static files too, and wraps the writer of event streams.
func (s *sessions) load(c echo.Context) (context.Context, error) {
	token := ""
	if k, err := c.Cookie(sessionCookie); err == nil {
		token = k.Value
	}
	return s.manager.Load(c.Request().Context(), token)
}

// open starts a session under a new token: one that the browser had before is
// worth nothing afterwards, whoever put it there.
func (s *sessions) open(c echo.Context) error {
	ctx, err := s.load(c)
	if err != nil {
		return err
	}
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	s.manager.Put(ctx, sessionEnd, s.now().Add(sessionLife).Unix())
	token, expiry, err := s.manager.Commit(ctx)
	if err != nil {
		return err
	}
	s.writeCookie(ctx, c, token, expiry)
	return nil
}

// end forgets the request's session and takes its cookie back.
func (s *sessions) end(c echo.Context) error {
	ctx, err := s.load(c)
	if err != nil {
		return err
	}
	if err := s.manager.Destroy(ctx); err != nil {
		return err
	}
	s.writeCookie(ctx, c, "", time.Time{})
	return nil
}

// writeCookie sets the cookie; no expiry removes it. The manager has one setting
// of Secure for all requests, so the request gets a copy with its own.
func (s *sessions) writeCookie(ctx context.Context, c echo.Context, token string, expiry time.Time) {
	m := *s.manager
	m.Cookie.Secure = c.IsTLS()
	m.WriteSessionCookie(ctx, c.Response(), token, expiry)
	c.Response().Header().Set("Cache-Control", "no-store") // the manager adds a weaker one
}

// valid reports whether the request carries a live session. The store ends it
// by the time of day, and the end in the session by our clock.
func (s *sessions) valid(c echo.Context) bool {
	ctx, err := s.load(c)
	return err == nil && s.now().Unix() < s.manager.GetInt64(ctx, sessionEnd)
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
	err := s.sessions.check(c.FormValue("password"))
	if usererr.Is(err, usererr.Invalid) && !wantsJSON(c) {
		return s.render(c, http.StatusUnprocessableEntity, templates.Login(s.page(c, "Sign in"), "That is not the password."))
	}
	if err != nil {
		return err
	}
	if err := s.sessions.open(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// logout answers POST /logout.
func (s *Server) logout(c echo.Context) error {
	if err := s.sessions.end(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}

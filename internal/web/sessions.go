package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/session"
)

// sessions knows who has given the password. The sessions themselves are kept
// in memory, under hashes of their tokens: a restart signs everybody out.
type sessions struct {
	tries   *session.Tries
	now     func() time.Time
	newID   func() string
	manager *scs.SessionManager

	// A request that notes the use of its session stores it again. Meanwhile nobody may
	// end it, or it would be there again.
	mu sync.Mutex
}

const (
	sessionCookie = "session"
	sessionIdle   = 12 * time.Hour     // without a request
	sessionLife   = 7 * 24 * time.Hour // in all
	sessionNoted  = time.Minute        // between two notes of a use
	mostSessions  = 1000
)

// stamp is how the list writes a time.
const stamp = "2 January 2006, 15:04 UTC"

// What a session holds: times in Unix seconds, and what its owner knows it by.
const (
	sessionID      = "id"
	sessionStart   = "start"
	sessionUsed    = "used"
	sessionAddress = "address"
	sessionBrowser = "browser"
)

func newSessions(phc string, now func() time.Time, newID func() string) (*sessions, error) {
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
	return &sessions{tries: session.NewTries(h, now), now: now, newID: newID,
		manager: m}, nil
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
func (s *sessions) open(c echo.Context, secure bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all, err := s.all(c.Request().Context()); err != nil {
		return err
	} else if len(all) >= mostSessions {
		return usererr.New(usererr.TooMany, "%d sessions are open, the most there can be. Sign out elsewhere first.",
			len(all))
	}
	ctx, err := s.load(c)
	if err != nil {
		return err
	}
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	now := s.now()
	s.manager.Put(ctx, sessionID, s.newID())
	s.manager.Put(ctx, sessionStart, now.Unix())
	s.manager.Put(ctx, sessionAddress, c.RealIP())
	s.manager.Put(ctx, sessionBrowser, browserName(c.Request().UserAgent()))
	return s.note(ctx, c, now, secure)
}

// note stores that a session is used at this time, which moves its end.
func (s *sessions) note(ctx context.Context, c echo.Context, now time.Time, secure bool) error {
	s.manager.Put(ctx, sessionUsed, now.Unix())
	token, _, err := s.manager.Commit(ctx)
	if err != nil {
		return err
	}
	// The cookie's end is counted from the machine's own time, as the browser counts it.
	s.writeCookie(ctx, c, token, time.Now().Add(s.ends(ctx).Sub(now)), secure)
	return nil
}

// ends is when a session ends if it is not used again.
func (s *sessions) ends(ctx context.Context) time.Time {
	idle := time.Unix(s.manager.GetInt64(ctx, sessionUsed), 0).Add(sessionIdle)
	if life := time.Unix(s.manager.GetInt64(ctx, sessionStart), 0).Add(sessionLife); life.Before(idle) {
		return life
	}
	return idle
}

// end forgets the request's session and takes its cookie back.
func (s *sessions) end(c echo.Context, secure bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, err := s.load(c)
	if err != nil {
		return err
	}
	if err := s.manager.Destroy(ctx); err != nil {
		return err
	}
	s.writeCookie(ctx, c, "", time.Time{}, secure)
	return nil
}

// writeCookie sets the cookie; no expiry removes it. The manager has one setting
// of Secure for all requests, so the request gets a copy with its own.
func (s *sessions) writeCookie(ctx context.Context, c echo.Context, token string, expiry time.Time, secure bool) {
	m := *s.manager
	m.Cookie.Secure = secure
	m.WriteSessionCookie(ctx, c.Response(), token, expiry)
	c.Response().Header().Set("Cache-Control", "no-store") // the manager adds a weaker one
}

// valid reports whether the request carries a live session. The store ends it
// by the time of day, and the times in the session by our clock.
func (s *sessions) valid(c echo.Context) bool {
	ctx, err := s.load(c)
	return err == nil && s.now().Before(s.ends(ctx))
}

// use reports the same, and notes a use that is a minute after the last noted one, so
// that nobody is signed out at work.
func (s *sessions) use(c echo.Context, secure bool) bool {
	ctx, err := s.load(c)
	now := s.now()
	if err != nil || !now.Before(s.ends(ctx)) {
		return false
	}
	if now.Unix()-s.manager.GetInt64(ctx, sessionUsed) < int64(sessionNoted/time.Second) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// It may have been ended, or noted, while this request waited for the lock.
	ctx, err = s.load(c)
	if err != nil || !now.Before(s.ends(ctx)) {
		return false
	}
	return s.note(ctx, c, now, secure) == nil
}

// all lists the live sessions, the last used first.
func (s *sessions) all(ctx context.Context) ([]openSession, error) {
	var all []openSession
	now := s.now()
	err := s.manager.Iterate(ctx, func(ctx context.Context) error {
		if !now.Before(s.ends(ctx)) {
			return s.manager.Store.Delete(s.manager.Token(ctx))
		}
		all = append(all, openSession{stored: s.manager.Token(ctx), ID: s.manager.GetString(ctx, sessionID),
			Start: time.Unix(s.manager.GetInt64(ctx, sessionStart), 0), Used: time.Unix(s.manager.GetInt64(ctx, sessionUsed), 0),
			Address: s.manager.GetString(ctx, sessionAddress), Browser: s.manager.GetString(ctx, sessionBrowser)})
		return nil
	})
	slices.SortFunc(all, func(a, b openSession) int { return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.ID, b.ID)) })
	return all, err
}

// openSession is a session in the list.
type openSession struct {
	stored           string // the hash of its token
	ID               string
	Start, Used      time.Time
	Address, Browser string
}

// id is that of the request's session; "" without one.
func (s *sessions) id(c echo.Context) string {
	ctx, err := s.load(c)
	if err != nil {
		return ""
	}
	return s.manager.GetString(ctx, sessionID)
}

// endOthers ends the session of that id, or all but the request's own.
func (s *sessions) endOthers(c echo.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.all(c.Request().Context())
	if err != nil {
		return err
	}
	own := s.id(c)
	for _, one := range all {
		if one.ID == id || id == "" && one.ID != own {
			if err := s.manager.Store.Delete(one.stored); err != nil {
				return err
			}
		}
	}
	return nil
}

// browserName is what a person calls the program behind a User-Agent. Each of them also
// says the names of those it wants to be taken for, so the order matters.
func browserName(agent string) string {
	for _, b := range []struct{ mark, name string }{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}, {"python", "Python"}} {
		if strings.Contains(agent, b.mark) {
			return b.name
		}
	}
	return "another program"
}

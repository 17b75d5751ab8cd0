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

// sessions are the signed-in visitors. They are kept in memory, under hashes of their tokens: a restart signs
// everybody out.
type sessions struct {
	tries   *session.Tries
	now     func() time.Time
	newID   func() string
	manager *scs.SessionManager

	// Storing the time of use writes the whole session. The lock keeps a session from being ended in between, which
	// would restore it.
	mu sync.Mutex
}

const (
	sessionCookie = "session"
	sessionIdle   = 12 * time.Hour     // without a request
	sessionLife   = 7 * 24 * time.Hour // in all
	sessionNoted  = time.Minute        // between two updates of the time of use
	mostSessions  = 1000
)

// stamp is the format of times in the list.
const stamp = "2 January 2006, 15:04 UTC"

// The values of a session: times in Unix seconds, and how it is described to its owner.
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

// load returns a context with the session of the request's cookie, or with an empty one. We call the manager here
// and in the two handlers below, not its middleware for every request: the middleware sends “Vary: Cookie” with
// every answer, static files included, and wraps the writer of event streams.
func (s *sessions) load(c echo.Context) (context.Context, error) {
	token := ""
	if k, err := c.Cookie(sessionCookie); err == nil {
		token = k.Value
	}
	return s.manager.Load(c.Request().Context(), token)
}

// open starts a session under a new token. A token that the browser had before is not used, because an attacker may
// have set it.
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

// note stores the time of use, which extends the session.
func (s *sessions) note(ctx context.Context, c echo.Context, now time.Time, secure bool) error {
	s.manager.Put(ctx, sessionUsed, now.Unix())
	token, _, err := s.manager.Commit(ctx)
	if err != nil {
		return err
	}
	// Browsers compare the cookie's expiry with the real time, so it is computed from time.Now.
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

// end deletes the request's session and its cookie.
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

// writeCookie sets the cookie; a zero expiry removes it. The manager has one setting of Secure for all requests, so
// the request gets a copy with its own.
func (s *sessions) writeCookie(ctx context.Context, c echo.Context, token string, expiry time.Time, secure bool) {
	m := *s.manager
	m.Cookie.Secure = secure
	m.WriteSessionCookie(ctx, c.Response(), token, expiry)
	c.Response().Header().Set("Cache-Control", "no-store") // the manager sets a weaker one
}

// valid reports whether the request has a live session. The store ends it by the real time, and the times in the
// session by our clock.
func (s *sessions) valid(c echo.Context) bool {
	ctx, err := s.load(c)
	return err == nil && s.now().Before(s.ends(ctx))
}

// use is valid, and stores the time of use if the stored one is more than a minute old, so that nobody is signed
// out while working.
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
	// It may have been ended, or updated, while this request waited for the lock.
	ctx, err = s.load(c)
	if err != nil || !now.Before(s.ends(ctx)) {
		return false
	}
	return s.note(ctx, c, now, secure) == nil
}

// all lists the live sessions, last used first.
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

// id is the id of the request's session; "" without one.
func (s *sessions) id(c echo.Context) string {
	ctx, err := s.load(c)
	if err != nil {
		return ""
	}
	return s.manager.GetString(ctx, sessionID)
}

// endOthers ends the session with this id, or for "" all but the request's own.
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

// browserName is the name of the browser in a User-Agent. Browsers also name others for compatibility, so the order
// matters.
func browserName(agent string) string {
	for _, b := range []struct{ mark, name string }{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}, {"python", "Python"}} {
		if strings.Contains(agent, b.mark) {
			return b.name
		}
	}
	return "another program"
}

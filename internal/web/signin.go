package web

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/web/templates"
)

// signedIn refuses all requests without a session, except for the sign-in itself.
func (s *Server) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		p := c.Request().URL.Path
		switch {
		case p == "/healthz", p == "/login", p == "/theme", strings.HasPrefix(p, "/static/"),
			s.sessions.use(c, s.encrypted(c)):
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

// login answers POST /login. It reads only the body: a password in an address would be kept in the browser's
// history and in logs of proxies.
func (s *Server) login(c echo.Context) error {
	from, _ := netip.ParseAddr(c.RealIP())
	err := s.sessions.tries.Check(c.Request().Context(), from, c.Request().PostFormValue("password"))
	if usererr.Is(err, usererr.Invalid) && !wantsJSON(c) {
		return s.render(c, http.StatusUnprocessableEntity, templates.Login(s.page(c, "Sign in"), "That is not the password."))
	}
	if usererr.Is(err, usererr.TooMany) {
		c.Response().Header().Set(echo.HeaderRetryAfter, "60")
	}
	if err != nil {
		return err
	}
	if err := s.sessions.open(c, s.encrypted(c)); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

// logout answers POST /logout.
func (s *Server) logout(c echo.Context) error {
	if err := s.sessions.end(c, s.encrypted(c)); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/login")
}

// sessionsPage answers GET /sessions: the list of open sessions.
func (s *Server) sessionsPage(c echo.Context) error {
	all, err := s.sessions.all(c.Request().Context())
	if err != nil {
		return err
	}
	v := templates.SessionsView{}
	own := s.sessions.id(c)
	for _, one := range all {
		v.Open = append(v.Open, templates.SessionRow{ID: one.ID, Here: one.ID == own, Browser: one.Browser,
			Address: one.Address, Start: one.Start.UTC().Format(stamp), Used: one.Used.UTC().Format(stamp)})
	}
	return s.render(c, http.StatusOK, templates.Sessions(s.page(c, "Who is signed in"), v))
}

// endSession answers POST /sessions: it ends the session with the id in the form, or without an id all others.
func (s *Server) endSession(c echo.Context) error {
	id := c.Request().PostFormValue("id")
	if id != "" && id == s.sessions.id(c) {
		return s.logout(c)
	}
	if err := s.sessions.endOthers(c, id); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/sessions")
}

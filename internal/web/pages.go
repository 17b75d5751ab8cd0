package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/page/help"
	"taper/web/static"
	"taper/web/templates"
)

// navigation lists the main pages; an entry is shown if its page exists.
var navigation = []templates.Link{
	{Label: "Losses", URL: "/"},
	{Label: "Playground", URL: "/playground"},
	{Label: "Robustness", URL: "/robustness"},
	{Label: "Data", URL: "/data"},
	{Label: "Runs", URL: "/runs"},
}

// page fills the common parts of all pages. Handlers add crumbs, result and actions, and Current for pages that are
// not nav entries themselves.
func (s *Server) page(c echo.Context, title string) templates.Page {
	here := c.Request().URL
	p := templates.Page{
		Title: title, Version: s.cfg.Version, Address: s.host(), Workers: s.app.Jobs.Here.Crew != nil,
		Help: help.Of(here.Path),
		Nav:  s.nav(), Current: section(here.Path), Theme: theme(c), Here: here.RequestURI(),
		SignedIn: s.sessions != nil && s.sessions.valid(c),
		Static:   s.static.Prefix(), Style: static.Style, Modules: s.static.Modules(), Entry: s.static.Entry(),
	}
	return p
}

// ask shows a confirmation before a deletion: to a script as a dialog, to others as a page with a link back.
func (s *Server) ask(c echo.Context, d templates.Dialog, names []string, back string, crumbs ...templates.Link) error {
	if wantsJSON(c) {
		html, err := rendered(c, templates.DialogView(d))
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]string{"html": html})
	}
	p := s.page(c, d.Question)
	p.Crumbs = crumbs
	return s.render(c, http.StatusOK, templates.AskPage(p, d, names, back))
}

// inFractions redirects the per cent fields that a form sent without scripts to the address with fractions.
func inFractions(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		here := c.Request().URL
		q := here.Query()
		if wantsJSON(c) || !form.HasPercents(q) {
			return next(c)
		}
		return c.Redirect(http.StatusSeeOther, form.Address(here.Path, form.Fractions(q).Encode()))
	}
}

// host is the name or address the program listens on, without the port.
func (s *Server) host() string {
	host, _, _ := net.SplitHostPort(s.cfg.Listen)
	return host
}

// nav lists the entries whose page is among the routes.
func (s *Server) nav() []templates.Link {
	exists := map[string]bool{}
	for _, r := range s.echo.Routes() {
		exists[r.Path] = exists[r.Path] || r.Method == http.MethodGet
	}
	var out []templates.Link
	for _, l := range navigation {
		if exists[l.URL] {
			out = append(out, l)
		}
	}
	return out
}

// section is the nav entry a path belongs to.
func section(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "explore":
		return "/"
	case "stratify":
		return "/data"
	case "report", "compare", "audit", "evaluations":
		return "/runs"
	case "studies":
		return "/robustness"
	}
	return "/" + first
}

// setTheme answers POST /theme: it stores the choice in a cookie and goes back. Scripts set the same cookie without
// a request.
func (s *Server) setTheme(c echo.Context) error {
	choice := c.FormValue("theme")
	if choice != "light" && choice != "dark" && choice != "auto" {
		return usererr.BadField("theme", "must be light, dark or auto")
	}
	c.SetCookie(&http.Cookie{Name: "theme", Value: choice, Path: "/", MaxAge: 365 * 24 * 3600,
		SameSite: http.SameSiteStrictMode})
	return c.Redirect(http.StatusSeeOther, localPath(c.FormValue("back")))
}

// theme is the theme from the cookie; "" follows the system.
func theme(c echo.Context) string {
	k, err := c.Cookie("theme")
	if err == nil && (k.Value == "light" || k.Value == "dark") {
		return k.Value
	}
	return ""
}

// localPath accepts a way back only inside this program. The path is checked after decoding, because a slash may be
// written as %2f.
func localPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "\\") {
		return "/"
	}
	return strings.ReplaceAll(u.RequestURI(), "\\", "%5C") // browsers may read it as a slash
}

// offsetOf reads the offset of a page in a list.
func offsetOf(c echo.Context) (int, error) {
	var of struct {
		Offset int `form:"offset" range:"0 2147483647"`
	}
	err := form.ReadStrict(&of, c.QueryParams())
	return of.Offset, err
}

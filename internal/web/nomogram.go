package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/check"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
	"taper/web/templates"
)

// nomogram answers GET and POST /runs/{id}/nomogram: the nomogram of a run with the usual values, or with those of
// the body, which never get into an address, a log or the store.
func (s *Server) nomogram(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if r.Result == nil || r.Result.Classes != nil || !r.Wiped.IsZero() {
		return usererr.New(usererr.Conflict, "This run has no nomogram. Open the run for what it has.")
	}
	sent := url.Values{}
	if c.Request().Method == http.MethodPost {
		if sent, err = httpio.Form(c); err != nil {
			return err
		}
	}
	of, err := s.modelOf(ctx, r)
	if err != nil {
		return err
	}
	v, err := of.Nomogram(sent, report.MaskSmall)
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return sendParts(c, report.NomogramParts(v))
	}
	v.Open = check.LeftOpen(r.Result.Warnings)
	p := s.page(c, "Nomogram")
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name, URL: "/runs/" + r.ID}, {Label: "nomogram"}}
	p.Scene = true
	return s.render(c, http.StatusOK, templates.NomogramPage(p, v))
}

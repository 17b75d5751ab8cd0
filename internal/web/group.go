package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/check"
	"taper/internal/engine/usererr"
	"taper/internal/web/live"
	"taper/internal/web/page/group"
	"taper/internal/web/page/report"
	"taper/web/templates"
)

// group reads a state of the page that shows a run's people, with the counts of reclassified rows.
func (s *Server) group(c echo.Context) (*group.Group, error) {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	if !group.Has(r) {
		return nil, usererr.New(usererr.Conflict, "This run has no bands of patients to show. Open the run for what it has.")
	}
	st, err := group.Read(c.QueryParams(), r)
	if err != nil {
		return nil, err
	}
	moves, err := s.app.Moves(ctx, r, st.Pi)
	return group.New(st, moves), err
}

// groupPage answers GET /runs/{id}/group?pi=&counts=.
func (s *Server) groupPage(c echo.Context) error {
	g, err := s.group(c)
	if err != nil {
		return err
	}
	v := g.View()
	if of, err := s.modelOf(c.Request().Context(), g.Run); err != nil {
		return err
	} else if of.HasNomogram() {
		v.Next = report.NomogramURL(g.Run.ID)
	}
	v.Open = check.LeftOpen(g.Run.Result.Warnings)
	if v.Stamps, err = live.Stamps(c.Request().Context(), group.Parts(v), nil); err != nil {
		return err
	}
	p := s.page(c, "100 people in each risk band")
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: g.Run.Name, URL: v.End}, {Label: "group"}}
	p.Scene = true
	return s.render(c, http.StatusOK, templates.GroupPage(p, v))
}

// groupLive answers GET /runs/{id}/group/live: a change of a boundary.
func (s *Server) groupLive(c echo.Context) error {
	g, err := s.group(c)
	if err != nil {
		return err
	}
	a, err := g.Live(c.Request().Context(), live.ReadWant(c.QueryParams()))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

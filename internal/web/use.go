package web

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	runpage "taper/internal/web/page/run"
	"taper/web/templates"
)

// usable reads a finished run with its model.
func (s *Server) usable(c echo.Context) (store.Run, *model.Model, error) {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return r, nil, err
	}
	if err := r.RequireResult(); err != nil {
		return r, nil, err
	}
	m, err := s.db.RunModel(ctx, r.ID)
	return r, m, err
}

// changeRun answers POST /runs/{id}: name and notes.
func (s *Server) changeRun(c echo.Context) error {
	name, err := formValue(c, "name")
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), c.Param("id")
	to := store.About{Name: &name}
	if f := c.Request().PostForm; f.Has("notes") {
		to.Notes = new(strings.ReplaceAll(f.Get("notes"), "\r\n", "\n"))
	}
	if err := s.app.DescribeRun(ctx, id, to); err != nil {
		e, ok := usererr.As(err)
		if !ok || e.Code != usererr.Invalid || wantsJSON(c) {
			return err
		}
		r, err := s.db.RunLine(ctx, id)
		if err != nil {
			return err
		}
		notes := r.Notes
		if to.Notes != nil {
			notes = *to.Notes
		}
		about := templates.RunAbout{URL: "/runs/" + r.ID, Name: name, Notes: notes,
			Problem: phrase.UpperFirst(e.Detail)}
		return s.runPart(c, http.StatusUnprocessableEntity, r, runpage.Result, templates.AboutSection(about))
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+id)
}

// runPart shows one part of a run's page by itself: the result of a form without scripts.
func (s *Server) runPart(c echo.Context, status int, r store.Run, of runpage.Page, part templ.Component) error {
	return s.render(c, status, templates.RunPartPage(s.runFrame(c, r, of, runpage.State{}), part))
}

// runAgain answers POST /runs/{id}/again: the same spec as a new run, which
// finds the same bits.
func (s *Server) runAgain(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	spec := r.Spec
	spec.Name = r.Name
	if !r.Wiped.IsZero() {
		return r.DataWiped("it cannot be made again")
	}
	if err := s.app.Fitted(ctx, r.ID); err != nil {
		return err
	}
	again, err := s.app.StartRunAs(ctx, spec, app.RunOptions{Reading: r.Reading})
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+again.ID)
}

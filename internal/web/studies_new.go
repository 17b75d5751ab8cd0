package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyform"
)

// studyNewPage answers GET /studies/new: an empty grid; ?preset= a preset with
// its size, data and seed, and ?grid= what it does as a grid to be changed;
// ?study= a study to be run again with changes.
func (s *Server) studyNewPage(c echo.Context) error {
	spec, title, err := s.formSpec(c)
	if err != nil {
		return err
	}
	return s.studyForm(c, http.StatusOK, spec, title, nil)
}

// formSpec is what the form starts from.
func (s *Server) formSpec(c echo.Context) (spec study.Spec, title string, err error) {
	switch {
	case c.QueryParam("study") != "":
		st, err := s.db.Study(c.Request().Context(), c.QueryParam("study"))
		st.Spec.Name = st.Name
		return st.Spec, "Change ‘" + st.Name + "’", err
	case c.QueryParam("preset") != "":
		p, ok := paper.Presets.ByID(c.QueryParam("preset"))
		if !ok {
			return spec, "", usererr.New(usererr.NotFound, "There is no preset %.40q.", c.QueryParam("preset"))
		}
		return study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1, Dataset: study.Source{ID: c.QueryParam("dataset")}},
			p.Title, nil
	case c.QueryParam("grid") != "":
		g, ok := studyform.OfPreset(c.QueryParam("grid"))
		if !ok {
			return spec, "", usererr.New(usererr.NotFound, "%.40q is no preset that is a grid.", c.QueryParam("grid"))
		}
		return g, "Change ‘" + strings.TrimSuffix(g.Name, ", changed") + "’", nil
	}
	spec = stored.RobustnessSpec(study.Quick, 1)
	spec.Name = ""
	spec.Dataset = study.Source{Generator: "moons", Rows: 1000}
	spec.Models, spec.Noise.Rates = spec.Models[:2], []float64{0, 0.1, 0.2, 0.3}
	if id := c.QueryParam("dataset"); id != "" {
		spec.Dataset = study.Source{ID: id}
	}
	return spec, "A grid of your own", nil
}

// startStudyForm answers POST /studies: from a form of a preset or a grid.
func (s *Server) startStudyForm(c echo.Context) error {
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	spec, err := studyform.Read(sent)
	if err == nil {
		var st store.Study
		if st, err = s.app.StartStudy(c.Request().Context(), s.app.WithChoice(c.Request().Context(), spec)); err == nil {
			return c.Redirect(http.StatusSeeOther, "/studies/"+st.ID)
		}
	}
	if _, ok := usererr.As(err); !ok {
		return err
	}
	title := "A grid of your own"
	if p, ok := paper.Presets.ByID(spec.Preset); ok {
		title = p.Title
	}
	return s.studyForm(c, http.StatusUnprocessableEntity, spec, title, err)
}

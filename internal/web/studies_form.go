package web

import (
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/web/page/studyform"
	"taper/web/templates"
)

// studyForm shows the form, filled in, with what was wrong.
func (s *Server) studyForm(c echo.Context, status int, spec study.Spec, title string, problem error) error {
	p := s.page(c, title)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: "New"}}
	v := templates.StudyForm{}
	if e, ok := usererr.As(problem); ok {
		v.Problem = &templates.Banner{Fact: "The study was not started.", Text: e.Detail, Bad: true}
	}
	all, _, err := s.db.Datasets(c.Request().Context(), datasetsOffered, 0)
	if err != nil {
		return err
	}
	if preset, ok := paper.Presets.ByID(spec.Preset); ok {
		f := studyform.Preset(preset, spec, all)
		v.Preset = &f
		p.Crumbs[1] = templates.Link{Label: preset.Figure, URL: "/studies/preset/" + preset.ID}
	} else {
		f := studyform.Grid(spec, all)
		v.Grid = &f
		p.Result = templates.Sentence("Models × rates of noise × replicates.",
			"Each unit is kept as it finishes: pause, stop the program, go on where it was.")
	}
	return s.render(c, status, templates.StudyFormPage(p, v))
}

// datasetsOffered bounds the list of data to choose from.
const datasetsOffered = 200

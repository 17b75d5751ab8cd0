package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyform"
	"taper/web/templates"
)

// studyNewPage answers GET /studies/new: an empty grid; ?preset= a preset with its size, data and seed; ?grid= the
// preset converted to a grid; ?study= a study to be changed and run again.
func (s *Server) studyNewPage(c echo.Context) error {
	var from studyform.Start
	if err := form.ReadStrict(&from, c.QueryParams()); err != nil {
		return err
	}
	if from.Study != "" {
		st, err := s.db.Study(c.Request().Context(), from.Study)
		if err != nil {
			return err
		}
		st.Spec.Name = st.Name
		return s.studyForm(c, http.StatusOK, st.Spec, "Change ‘"+st.Name+"’", nil)
	}
	spec, title, err := from.Spec()
	if err != nil {
		return err
	}
	return s.studyForm(c, http.StatusOK, spec, title, nil)
}

// startStudyForm answers POST /studies: it starts a study from the form of a preset or a grid.
func (s *Server) startStudyForm(c echo.Context) error {
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	terms, err := s.app.Agreed(sent.Get("share_rows"), sent.Get("class"))
	if err != nil {
		return err
	}
	sent.Del("share_rows")
	sent.Del("class")
	spec, err := studyform.Read(sent)
	if err == nil {
		var st store.Study
		if st, err = s.app.StartStudyOn(c.Request().Context(), s.app.WithChoice(c.Request().Context(), spec),
			terms); err == nil {
			return c.Redirect(http.StatusSeeOther, "/studies/"+st.ID)
		}
	}
	if _, ok := usererr.As(err); !ok {
		return err
	}
	title := studyform.OwnGrid
	if p, ok := paper.Presets.ByID(spec.Preset); ok {
		title = p.Title
	}
	return s.studyForm(c, http.StatusUnprocessableEntity, spec, title, err)
}

// studyForm shows the form with its input and errors.
func (s *Server) studyForm(c echo.Context, status int, spec study.Spec, title string, problem error) error {
	p := s.page(c, title)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: "New"}}
	v := templates.StudyForm{Helpers: studyform.Helpers(s.app.Jobs.Here.Address, s.app.Classes())}
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
		p.Result = templates.Sentence("Models × noise rates × replicates.",
			"Results are saved as they finish; you can pause, quit and resume.")
	}
	return s.render(c, status, templates.StudyFormPage(p, v))
}

// datasetsOffered limits the list of data to choose from.
const datasetsOffered = 200

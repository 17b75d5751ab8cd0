package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// showStudy reads the report of a study in the requested state.
func (s *Server) showStudy(c echo.Context, path string, spec study.Spec,
	cells []study.Cell) (v studyreport.Report, err error) {
	var st studyreport.State
	if err = form.ReadStrict(&st, c.QueryParams()); err != nil {
		return v, err
	}
	if v, err = studyreport.New(path, spec, cells, st); err != nil {
		return v, err
	}
	v.Host = c.Request().Host
	if spec.Dataset.ID != "" {
		if d, err := s.db.Dataset(c.Request().Context(), spec.Dataset.ID); err == nil {
			v.Data = d.Name // the data may have been deleted
		}
	}
	return v, nil
}

// studyPage answers GET /studies/{id}: the report, partial while it runs.
func (s *Server) studyPage(c echo.Context) error { return s.studyReport(c, http.StatusOK, nil) }

// studyReport is the page of a study, with the error of a request.
func (s *Server) studyReport(c echo.Context, status int, problem *templates.Banner) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	shown, err := s.showStudy(c, "/studies/"+st.ID, st.Spec, cells)
	if err != nil {
		return err
	}
	if st.Spec.Preset != "" { // grids have no notes
		plan, err := s.app.StudyPlan(c.Request().Context(), &st)
		if usererr.IsCostly(err) { // without the notes the page would be incomplete
			return err
		}
		shown.Notes = plan.Notes
	}
	p := s.page(c, st.Name)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	v := shown.Own(st, s.work(st.ID))
	if problem != nil {
		v.Banner = problem
	}
	v.ExternalModel = studyreport.ExternalModelView(st, cells)
	p.Result = shown.Sentence(st.Status)
	p.Actions = templates.Buttons(studyreport.Actions(st)...)
	return s.render(c, status, templates.StudyPage(p, v))
}

// studyLive answers GET /studies/{id}/live: the results so far.
func (s *Server) studyLive(c echo.Context) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	shown, err := s.showStudy(c, "/studies/"+st.ID, st.Spec, cells)
	if err != nil {
		return err
	}
	return sendParts(c, map[string]templ.Component{"study-body": templates.StudyBodyView(shown.Body())})
}

// studyPresetPage answers GET /studies/preset/{preset}: the stored result.
func (s *Server) studyPresetPage(c echo.Context) error {
	p, ok := paper.Presets.ByID(c.Param("preset"))
	if !ok {
		return usererr.New(usererr.NotFound, "There is no preset %.40q.", c.Param("preset"))
	}
	path := "/studies/preset/" + p.ID
	r, has := studyreport.ShippedOf(p)
	if !has {
		r.Spec = study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1}
	}
	shown, err := s.showStudy(c, path, r.Spec, r.AllCells())
	if err != nil {
		return err
	}
	shown.Notes, shown.Sets = r.Notes, r.Sets
	page := s.page(c, p.Title)
	page.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	page.Actions = templates.Buttons(s.studies.Runs(p)...)
	v, result := shown.OfPreset(s.studies, p, r.Result, has, s.took(c.Request().Context()))
	page.Result = result
	return s.render(c, http.StatusOK, templates.StudyPage(page, v))
}

// studyPicture answers GET /studies/preset/{preset}/picture.svg?v=: the small drawing for the list.
func (s *Server) studyPicture(c echo.Context) error {
	p, ok := s.studies.Picture(c.Param("preset"))
	if !ok {
		return usererr.New(usererr.NotFound, "There is no picture of a preset %.40q.", c.Param("preset"))
	}
	if c.QueryParam("v") == p.Hash { // v is the hash of the content, so the address changes with it
		c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	return c.Blob(http.StatusOK, "image/svg+xml", []byte(p.SVG))
}

// storedPreset is the stored result in the path.
func storedPreset(c echo.Context) (studyreport.Shipped, error) {
	p, known := paper.Presets.ByID(c.Param("preset"))
	if !known {
		p.ID = c.Param("preset") // a stored result of the robustness page
	}
	r, ok := studyreport.ShippedOf(p)
	if !ok {
		return r, usererr.New(usererr.NotFound, "No result of %.40q ships with the program.", c.Param("preset"))
	}
	return r, nil
}

// studyPresetCSV answers GET /studies/preset/{preset}/cells.csv?of=.
func (s *Server) studyPresetCSV(c echo.Context) error {
	r, err := storedPreset(c)
	if err != nil {
		return err
	}
	return api.CellsCSV(c, r.ID, r.AllCells())
}

// studyPresetJSON answers GET /studies/preset/{preset}/result.json.
func (s *Server) studyPresetJSON(c echo.Context) error {
	r, err := storedPreset(c)
	if err != nil {
		return err
	}
	httpio.Attach(c, "application/json", r.ID+".json")
	return c.JSON(http.StatusOK, r)
}

// study reads the study of a request with its cells.
func (s *Server) study(c echo.Context) (store.Study, []study.Cell, error) {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return st, nil, err
	}
	cells, err := s.app.StudyCells(c.Request().Context(), st)
	return st, cells, err
}

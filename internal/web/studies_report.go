package web

import (
	"cmp"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// showStudy reads what of a study is asked for.
func (s *Server) showStudy(c echo.Context, path string, spec study.Spec,
	cells []study.Cell) (v studyreport.Report, err error) {
	var st studyreport.State
	if err = form.Strict(&st, c.QueryParams()); err != nil {
		return v, err
	}
	if v, err = studyreport.New(path, spec, cells, st); err != nil {
		return v, err
	}
	v.Host = c.Request().Host
	if spec.Dataset.ID != "" {
		if d, err := s.db.Dataset(c.Request().Context(), spec.Dataset.ID); err == nil {
			v.Data = d.Name // a study outlives its data
		}
	}
	return v, nil
}

// studyPage answers GET /studies/{id}: the report, partial while it runs.
func (s *Server) studyPage(c echo.Context) error { return s.studyReport(c, http.StatusOK, nil) }

// studyReport is the page of a study, with what went wrong with a request of it.
func (s *Server) studyReport(c echo.Context, status int, problem *templates.Banner) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	shown, err := s.showStudy(c, "/studies/"+st.ID, st.Spec, cells)
	if err != nil {
		return err
	}
	if plan, err := s.app.StudyPlan(c.Request().Context(), &st); err == nil {
		shown.Notes = plan.Notes
	}
	shown.Facts = append(shown.SpecFacts(), studyreport.Facts(st)...)
	p := s.page(c, st.Name)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	v := shown.View()
	v.Files = []templates.Button{
		{Label: "Cells as CSV", Icon: "download", URL: "/api/v1/studies/" + st.ID + "/cells.csv", Dropped: true},
		{Label: "Every replicate as CSV", Icon: "download", URL: "/api/v1/studies/" + st.ID + "/cells.csv?of=replicates",
			Dropped: true},
		{Label: "JSON", Icon: "document", URL: "/api/v1/studies/" + st.ID},
	}
	studyreport.ShowState(st, s.work(st.ID), &v)
	if shown.Empty() && st.Status != store.Done {
		v.Empty = &templates.Empty{Title: "No numbers yet",
			Text: "The figure is drawn with the first unit that is done, and grows with the others."}
	}
	if problem != nil {
		v.Banner = problem
	}
	v.ExternalModel = studyreport.ExternalModelView(st, cells)
	p.Result = shown.Sentence(st.Status)
	p.Actions = templates.Buttons(studyreport.Actions(st)...)
	return s.render(c, status, templates.StudyPage(p, v))
}

// studyLive answers GET /studies/{id}/live: what there is so far.
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
	r, has := stored.Get(p.ID)
	if !has {
		r.Spec = study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1}
	}
	shown, err := s.showStudy(c, path, r.Spec, r.Cells)
	if err != nil {
		return err
	}
	shown.Notes = r.Notes
	page := s.page(c, p.Title)
	page.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	page.Actions = templates.Buttons(s.studies.Runs(p)...)
	shown.Facts = shown.SpecFacts()
	v := templates.Study{}
	if has {
		shown.Facts = append(shown.Facts, studyreport.StoredFacts(r)...)
		page.Result = shown.Sentence(store.Done)
		v = shown.View()
		v.Files = []templates.Button{
			{Label: "Cells as CSV", Icon: "download", URL: path + "/cells.csv", Dropped: true},
			{Label: "Every replicate as CSV", Icon: "download", URL: path + "/cells.csv?of=replicates", Dropped: true},
			{Label: "JSON", Icon: "download", URL: path + "/result.json", Dropped: true},
		}
	} else {
		v = shown.View()
		page.Result = templates.Sentence("No result ships with the program.", "Run it here.")
		if s.studies.MeasuresTime(p) {
			page.Result = templates.Sentence("No result ships with the program:",
				"these numbers are times, and times are the machine’s own.")
		}
		v.Empty = &templates.Empty{Title: "Nothing computed yet", Text: "Run it here: the page fills as the units finish.",
			Buttons: s.studies.Runs(p)[:1]}
	}
	return s.render(c, http.StatusOK, templates.StudyPage(page, v))
}

// storedPreset is the stored result that a path names.
func storedPreset(c echo.Context) (stored.Result, error) {
	r, ok := stored.Get(c.Param("preset"))
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
	of := c.QueryParam("of")
	if of != "" && of != "cells" && of != "replicates" {
		return usererr.BadField("of", "must be cells or replicates (got %.40q)", of)
	}
	httpio.Attach(c, "text/csv; charset=utf-8", r.ID+"-"+cmp.Or(of, "cells")+".csv")
	if of == "replicates" {
		return study.WriteCSV(c.Response(), r.Cells)
	}
	return study.WriteSummaryCSV(c.Response(), r.Cells)
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

// study reads the study that a request names, with its cells.
func (s *Server) study(c echo.Context) (store.Study, []study.Cell, error) {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return st, nil, err
	}
	cells, err := s.app.StudyCells(c.Request().Context(), st)
	return st, cells, err
}

package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// A figure may show a method of another program: its predictions for the study's rows are uploaded, evaluated here,
// and stored as cells of the study.

// mostPredictions is the limit of the file in bytes: 80 replicates of 5,000 rows at four depths give 1.6 million
// lines.
const mostPredictions = 96 << 20

// outsideRows answers GET /studies/{id}/rows.csv.
func (s *Server) outsideRows(c echo.Context) error {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	o, err := app.OutsideMethod(st)
	if err != nil {
		return err
	}
	plan, err := s.app.StudyPlan(c.Request().Context(), &st)
	if err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", "rows-"+st.ID+".csv")
	return o.WriteRows(c.Request().Context(), c.Response(), st.Spec.Seed, plan.Replicates())
}

// evaluateExternalModel answers POST /studies/{id}/outside: the predictions are in the part "file". Errors are
// shown on the page of the study.
func (s *Server) evaluateExternalModel(c echo.Context) error {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	err = s.outsideTake(c, st)
	e, ours := usererr.As(err)
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/studies/"+st.ID)
	case !ours || e.Code == usererr.NotFound || wantsJSON(c):
		return err
	}
	return s.studyReport(c, httpio.Status(e.Code), &templates.Banner{
		Fact: "The predictions were not taken.", Text: e.Detail,
		Bad: true})
}

// outsideTake evaluates the predictions of a request and adds them to a study.
func (s *Server) outsideTake(c echo.Context, st store.Study) error {
	o, err := app.OutsideMethod(st)
	if err != nil {
		return err
	}
	plan, err := s.app.StudyPlan(c.Request().Context(), &st)
	if err != nil {
		return err
	}
	file, err := httpio.File(c, "choose predictions as CSV")
	if err != nil {
		return err
	}
	cells, err := o.Evaluate(c.Request().Context(), file, st.Spec.Seed, plan.Replicates())
	if err != nil {
		return err
	}
	return s.db.ChangeCells(c.Request().Context(), st.ID, func(own []study.Cell) []study.Cell {
		return o.Join(own, cells)
	})
}

package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
)

// recalibration is app.Recalibration with the keys of forms.
type recalibration struct {
	Prevalence *float64 `form:"prevalence" typed:"%" range:"0 1"`
	Intercept  *float64 `form:"intercept"`
	Slope      *float64 `form:"slope"`
	Evaluation string
	How        string `form:"how"`
}

// recalibrateRun answers POST /runs/{id}/recalibrate.
func (s *Server) recalibrateRun(c echo.Context) error {
	child, err := s.recalibrated(c, c.Param("id"), "")
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child)
}

// recalibrateEvaluation answers POST /evaluations/{id}/recalibrate: it makes a child run, recalibrated by the
// validation or for another prevalence.
func (s *Server) recalibrateEvaluation(c echo.Context) error {
	e, err := s.db.Evaluation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	child, err := s.recalibrated(c, e.Run, e.ID)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, runpage.Model.URL(child)+"#population-h")
}

// recalibrated makes the child run of a form, with an external validation or without one.
func (s *Server) recalibrated(c echo.Context, run, evaluation string) (string, error) {
	var m recalibration
	if err := httpio.ReadForm(c, &m); err != nil {
		return "", err
	}
	switch m.Evaluation = evaluation; {
	case evaluation == "":
	case m.How != "": // by the validation, whatever the other field contains
		m.Prevalence = nil
	case m.Prevalence == nil:
		return "", usererr.BadField("prevalence", "must be a number in per cent, such as 12.5")
	}
	return s.app.Recalibrate(c.Request().Context(), run, app.Recalibration(m), report.RecalibrationReport)
}

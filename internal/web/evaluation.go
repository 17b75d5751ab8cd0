package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/model"
	"taper/internal/store"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/render"
	"taper/web/templates"
)

// evaluationAt reads a validation with its run and model.
func (s *Server) evaluationAt(c echo.Context) (e store.Evaluation, r store.Run, m *model.Model, err error) {
	ctx := c.Request().Context()
	if e, err = s.db.Evaluation(ctx, c.Param("id")); err != nil {
		return e, r, m, err
	}
	if r, err = s.db.Run(ctx, e.Run); err != nil {
		return e, r, m, err
	}
	m, err = s.db.RunModel(ctx, e.Run)
	return e, r, m, err
}

// evaluationPage answers GET /evaluations/{id} and GET /api/v1/evaluations/{id}/report: the printable report,
// whose only script opens the help. With download=1 it is a single file, without scripts.
func (s *Server) evaluationPage(c echo.Context) error {
	e, r, m, err := s.evaluationAt(c)
	if err != nil {
		return err
	}
	rows, err := s.app.DevelopmentRows(c.Request().Context(), r)
	if err != nil {
		return err
	}
	small, err := smallCounts(c.QueryParam("counts"))
	if err != nil {
		return err
	}
	x := report.NewExternal(r, m, e, rows, c.Request().Host, small)
	view := render.Report(x.Report(), r.ID)
	around(&view, "/evaluations/"+e.ID, c.Request().URL.Query(), small)
	if c.QueryParam("download") == "1" {
		return sendReport(c, view, "external-validation-"+e.ID)
	}
	p := s.page(c, view.Title)
	p.Help = reportHelp(c)
	return s.render(c, http.StatusOK, templates.EvaluationPage(p, view, x.Tools()))
}

// renameEvaluation answers POST /evaluations/{id}.
func (s *Server) renameEvaluation(c echo.Context) error {
	name, err := formValue(c, "name")
	if err != nil {
		return err
	}
	if err := s.app.RenameValidation(c.Request().Context(), c.Param("id"), name); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/evaluations/"+c.Param("id"))
}

// askEvaluation answers GET /evaluations/{id}/delete: the confirmation.
func (s *Server) askEvaluation(c echo.Context) error {
	e, err := s.db.Evaluation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	to := "/evaluations/" + e.ID
	d := templates.Dialog{ID: "ask", Question: "Delete ‘" + e.Name + "’?", Keep: "Keep",
		Text: "The counts and statistics of this external validation are wiped from this machine; the run stays. This " +
			"cannot be undone.",
		Do: templates.Button{Label: "Delete validation", Icon: "trash", Kind: "bad", Method: "POST", URL: to + "/delete"}}
	return s.ask(c, d, nil, to, templates.Link{Label: "Runs", URL: "/runs"},
		templates.Link{Label: "Run", URL: "/runs/" + e.Run})
}

// deleteEvaluation answers POST /evaluations/{id}/delete.
func (s *Server) deleteEvaluation(c echo.Context) error {
	ctx := c.Request().Context()
	e, err := s.db.Evaluation(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if err := s.db.DeleteEvaluation(ctx, e.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, runpage.Performance.URL(e.Run)+"#external-h")
}

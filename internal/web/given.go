package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

// given reads the state of the page that evaluates given predictions.
func (s *Server) given(c echo.Context) (*stratify.Page, store.Dataset, error) {
	p, d, err := s.stratified(c, form.Fractions(c.QueryParams()))
	switch {
	case err != nil:
		return nil, d, err
	case p == nil || !p.Usable() || p.State.Task != "":
		return nil, d, usererr.New(usererr.Conflict,
			"A score is evaluated in risk bands: choose an outcome and its event on the page of the data first.")
	case len(p.Bad) > 0:
		return nil, d, form.Error(p.Bad)
	}
	return p, d, nil
}

// givenPage answers GET /stratify/{dataset}/given: the choice of the predictions to evaluate.
func (s *Server) givenPage(c echo.Context) error {
	p, d, err := s.given(c)
	if err != nil {
		return err
	}
	if c.QueryParams().Has("was") { // from the form of /stratify
		return c.Redirect(http.StatusSeeOther, p.State.GivenURL())
	}
	return s.askGiven(c, http.StatusOK, p, d, url.Values{}, "")
}

func (s *Server) askGiven(c echo.Context, status int, p *stratify.Page, d store.Dataset, entered url.Values,
	problem string) error {
	v := p.Given(entered, problem)
	page := s.page(c, "Evaluate a score from elsewhere")
	page.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: d.Name, URL: "/data/" + d.ID},
		{Label: "stratify", URL: v.Back}, {Label: "score"}}
	page.Result = templates.Sentence("Choose the column of the score, or enter its formula.", "It is evaluated like "+
		"a model of Taper: strata, discrimination, calibration and net benefit, on the same rows.")
	return s.render(c, status, templates.GivenPage(page, v))
}

// givenRun answers POST /stratify/{dataset}/given: it starts the run that evaluates the predictions. If it is
// refused, the form is shown again with the input.
func (s *Server) givenRun(c echo.Context) error {
	entered, err := httpio.Form(c)
	if err != nil {
		return err
	}
	p, d, err := s.given(c)
	if err != nil {
		return err
	}
	spec, err := p.GivenSpec(entered)
	var run store.Run
	if err == nil {
		run, err = s.app.StartRunAs(c.Request().Context(), spec, app.RunOptions{})
	}
	if e, ok := usererr.As(err); ok && e.Code == usererr.Invalid {
		return s.askGiven(c, http.StatusUnprocessableEntity, p, d, entered, e.Error())
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
}

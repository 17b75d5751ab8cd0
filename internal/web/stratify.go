package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/api"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// stratified reads a query on the dataset of a route. The page is nil if the dataset's file cannot be read.
func (s *Server) stratified(c echo.Context, q url.Values) (*stratify.Page, store.Dataset, error) {
	ctx := c.Request().Context()
	d, err := s.db.Dataset(ctx, c.Param("id"))
	if err != nil || d.State == store.Draft {
		return nil, d, err
	}
	t, err := s.datasets.Table(ctx, d)
	if err != nil {
		return nil, d, err
	}
	return stratify.Read(q, d, t, datasets.Predictors(d, t), s.app.Computations.Scale), d, nil
}

// stratifyPage answers GET /stratify/{dataset}: a state with its result, or its progress if that takes long.
func (s *Server) stratifyPage(c echo.Context) error {
	q := c.QueryParams()
	tidy := !stratify.HasClasses(q) && (q.Has("base") || q.Has("was")) // from a form without scripts
	if tidy {
		q = form.Fractions(q)
	}
	if base := q.Get("base"); tidy && (base != "" || !q.Has("was")) {
		inner, err := url.ParseQuery(base)
		if err != nil {
			return usererr.BadField("base", "is no query")
		}
		inner["x"], inner["spline"] = q["x"], q["spline"]
		q = inner
	}
	p, d, err := s.stratified(c, q)
	switch {
	case err != nil:
		return err
	case p == nil:
		return c.Redirect(http.StatusSeeOther, "/data/"+d.ID)
	case len(p.Bad) > 0 && wantsJSON(c):
		return form.Error(p.Bad)
	case tidy:
		return c.Redirect(http.StatusSeeOther, p.TidyURL(q))
	case !p.Usable():
		return s.renderStratify(c, p, http.StatusOK, p.Unfitted())
	}
	status := http.StatusOK
	if len(p.Bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	spec, err := p.Spec()
	if err != nil {
		return s.stratifyRefused(c, p, err)
	}
	if p.State.Hold {
		return s.renderStratify(c, p, status, p.Unfitted())
	}
	of := app.Part{Preview: p.Previewing(), Outline: !p.Lists()}
	r, f, err := s.app.Computations.ResultOf(c.Request().Context(), d, spec, of, s.app.Computations.Patience)
	switch {
	case err != nil:
		return s.stratifyRefused(c, p, err)
	case f != nil:
		httpio.Passing(c)
		return s.renderStratify(c, p, status, p.Waiting(s.app.Computations.Follow(f)))
	}
	v, err := p.Found(c.Request().Context(), r, nil)
	if err != nil {
		return err
	}
	return s.renderStratify(c, p, status, v)
}

// stratifyRefused answers with the error of a state that cannot be fitted.
func (s *Server) stratifyRefused(c echo.Context, p *stratify.Page, err error) error {
	e, ok := usererr.As(err)
	if !ok || wantsJSON(c) || e.Code != usererr.Invalid {
		return err
	}
	v, fine := p.Refused(e)
	if fine {
		return s.renderStratify(c, p, http.StatusOK, v)
	}
	return s.renderStratify(c, p, http.StatusUnprocessableEntity, v)
}

func (s *Server) renderStratify(c echo.Context, of *stratify.Page, status int, v templates.Stratify) error {
	d := of.State.Dataset
	p := s.page(c, v.Title)
	p.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: d.Name, URL: "/data/" + d.ID}, {Label: "stratify"}}
	p.Body = "live banded"
	if d.Rows >= 10_000 { // counts of five digits and more need wider columns
		p.Body += " many"
	}
	if of.State.Task != "" {
		p.Body += " classed"
	}
	if of.Usable() {
		v.Workers = s.app.Elsewhere(c.Request().Context(), d.ID)
		p.Actions = templates.StratifyActions(v)
	}
	if v.Strong != "" {
		p.Result = templates.Sentence(v.Strong, v.Rest)
	}
	if v.Found() {
		p.Open = templates.OpenQuestions(v.Open)
	}
	return s.render(c, status, templates.StratifyPage(p, v))
}

// stratifyLive answers GET /stratify/{dataset}/live: it recomputes the state of the form. If the request is
// abandoned, the solver stops.
func (s *Server) stratifyLive(c echo.Context) error {
	p, d, err := s.stratified(c, c.QueryParams())
	switch {
	case err != nil:
		return err
	case p == nil:
		return c.JSON(http.StatusOK, live.Answer{Go: "/stratify/" + d.ID})
	case !p.Usable() || c.QueryParam("shows") != "" && c.QueryParam("shows") != p.Shows():
		return c.JSON(http.StatusOK, live.Answer{Go: p.State.URL()})
	case len(p.Bad) > 0:
		return form.Error(p.Bad)
	}
	spec, err := p.Spec()
	if err != nil {
		return err
	}
	wait := s.app.Computations.Patience
	if held, ok := p.Held(); ok {
		spec.Model, wait = held, time.Minute
	}
	of := app.Part{Preview: p.Previewing(), Outline: !p.Lists(), Follow: p.Moving() && engine.Follows(spec)}
	if of.Follow { // the page would not join this computation, but start its own beside it
		wait = time.Minute
	}
	if p.Previews() > 0 && !of.Preview { // the page shows the preview until then
		wait = time.Minute
	}
	started := s.now()
	r, f, err := s.app.Computations.ResultOf(c.Request().Context(), d, spec, of, wait)
	lacks := of.Preview && usererr.Is(err, usererr.Invalid) // the sample may have no row of a rare class
	if lacks {
		of.Preview = false
		p.WithoutPreview()
		r, f, err = s.app.Computations.ResultOf(c.Request().Context(), d, spec, of, wait)
	}
	switch {
	case err != nil:
		return err
	case f != nil:
		return c.JSON(http.StatusOK, live.Answer{Go: p.State.URL()})
	}
	took := s.now().Sub(started)
	a, err := p.Live(c.Request().Context(), r, spec)
	if err != nil {
		return err
	}
	// A drag of boundaries keeps the tuned values, so it is faster than this.
	drag := p.State.Task != "" || !spec.Model.Tuned()
	if p.Previews() > 0 { // a drag is answered by previews
		drag = of.Preview || lacks
	}
	if drag {
		ms := float64(took.Microseconds()) / 1000
		a.MS = &ms
	}
	return c.JSON(http.StatusOK, a)
}

const stillFitted = "The model is still being fitted. Try again when the page shows its result."

// fitted is the state of a query with its result, which is waited for at most a minute.
func (s *Server) fitted(c echo.Context) (*stratify.Page, store.Dataset, runspec.Spec, *engine.Result, error) {
	p, d, err := s.stratified(c, c.QueryParams())
	if err == nil && (p == nil || !p.Usable()) {
		err = usererr.New(usererr.Conflict, "Nothing is fitted: this dataset has no outcome yet. Choose it on the page of "+
			"the data.")
	}
	if err == nil && len(p.Bad) > 0 {
		err = form.Error(p.Bad)
	}
	if err != nil {
		return p, d, runspec.Spec{}, nil, err
	}
	spec, err := p.Spec()
	if err != nil {
		return p, d, spec, nil, err
	}
	r, f, err := s.app.Computations.Result(c.Request().Context(), d, spec, time.Minute)
	if f != nil {
		err = usererr.New(usererr.Conflict, stillFitted)
	}
	return p, d, spec, r, err
}

// stratifyChanges answers GET /stratify/{dataset}/changes: how often bootstrap fits assign patients to another
// band.
func (s *Server) stratifyChanges(c echo.Context) error {
	p, d, spec, r, err := s.fitted(c)
	if err != nil {
		return err
	}
	if !r.Refittable() {
		return usererr.New(usererr.Invalid, "This model is not refitted before it is saved. Save it, then check its "+
			"stability.")
	}
	stability, err := s.app.Computations.Stability(c.Request().Context(), d, spec, r)
	if err != nil {
		return err
	}
	a, err := stratify.Changes(c.Request().Context(), stability, p.State.Pi)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// stratifyRows answers GET /stratify/{dataset}/rows.csv: the out-of-fold predictions of a state.
func (s *Server) stratifyRows(c echo.Context) error {
	_, d, _, r, err := s.fitted(c)
	if err != nil {
		return err
	}
	return api.RowsCSV(c, d.ID+"-rows.csv", r.Rows, r.Model)
}

// stratifyModel answers GET /stratify/{dataset}/model.json: the model of a state.
func (s *Server) stratifyModel(c echo.Context) error {
	_, d, _, r, err := s.fitted(c)
	if err != nil {
		return err
	}
	httpio.Attach(c, echo.MIMEApplicationJSON, d.ID+"-model.json")
	return c.JSON(http.StatusOK, r.Model)
}

// stratifySave answers POST /stratify/{dataset}/save: it saves the state as a run, with λ chosen inside each fold.
func (s *Server) stratifySave(c echo.Context) error {
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	terms, err := s.app.Agreed(sent.Get("share_rows"), "")
	if err != nil {
		return err
	}
	sent.Del("share_rows")
	return s.saveState(c, sent, terms)
}

// saveState starts the run of a state and leads to it.
func (s *Server) saveState(c echo.Context, sent url.Values, terms app.Terms) error {
	p, d, err := s.stratified(c, sent)
	switch {
	case err != nil:
		return err
	case p == nil:
		return usererr.New(usererr.Conflict, "How this file is to be read is still open: choose its delimiter and "+
			"decimal mark on the page of the data first.")
	case len(p.Bad) > 0:
		return form.Error(p.Bad)
	}
	spec, err := p.Spec()
	if err != nil {
		return err
	}
	run, err := s.app.StartRunAs(c.Request().Context(), stratify.Nested(spec), app.RunOptions{Before: s.shown(p, d, spec),
		Terms: terms})
	if err != nil {
		return err
	}
	to := "/runs/" + run.ID
	if then := sent.Get("then"); then == "report" || then == "patients" {
		to += "?then=" + then
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// shown are the numbers that the page showed for a state, where the saved run may differ: λ was chosen once for
// all folds, or kept during a drag.
func (s *Server) shown(p *stratify.Page, d store.Dataset, spec runspec.Spec) *engine.Shown {
	r := s.app.Computations.Known(d, spec)
	if held, ok := p.Held(); r == nil && ok {
		spec.Model = held
		r = s.app.Computations.Known(d, spec)
	}
	if r == nil || !r.Optimistic {
		return nil
	}
	return r.Shown("λ chosen once, on the evaluation folds")
}

// stratifyCancel answers POST /stratify/{dataset}/cancel: it ends a computation and shows the controls only.
func (s *Server) stratifyCancel(c echo.Context) error {
	job, err := formValue(c, "job")
	if err != nil {
		return err
	}
	if !s.app.Computations.Cancel(c.Param("id"), job) {
		return usererr.New(usererr.NotFound, "This dataset has no computation %q under way. "+
			"It has ended, or it is another page’s, which alone can cancel it. Go back and load the page again.",
			format.Cut(job, 40))
	}
	return c.Redirect(http.StatusSeeOther, localPath(c.Request().PostForm.Get("back")))
}

// stratifyScore answers POST /stratify/{dataset}/score?…: the prediction for one patient by the model of the
// state in the query. The values are in the body: values of patients must not be in addresses.
func (s *Server) stratifyScore(c echo.Context) error {
	p, d, err := s.stratified(c, c.QueryParams())
	if err != nil {
		return err
	}
	if p == nil || len(p.Bad) > 0 || p.State.Task != "" {
		bad := []usererr.Field{{Field: "query", Message: "names no state with bands."}}
		if p != nil {
			bad = append(p.Bad, bad...)
		}
		return form.Error(bad)
	}
	spec, err := p.Spec()
	if err != nil {
		return err
	}
	sent, err := httpio.Form(c)
	if err != nil {
		return err
	}
	r, f, err := s.app.Computations.Result(c.Request().Context(), d, spec, time.Minute)
	if f != nil {
		return usererr.New(usererr.Conflict, stillFitted)
	}
	if err != nil {
		return err
	}
	of := stratify.WhatIf{Sent: sent}
	if of.Answer, err = resultview.WhatIfAnswer(r.Model, of.Sent); err != nil {
		return err
	}
	if wantsJSON(c) {
		return sendParts(c, map[string]templ.Component{"whatif-answer": templates.WhatIfAnswerView(of.Answer)})
	}
	v, err := p.Found(c.Request().Context(), r, &of)
	if err != nil {
		return err
	}
	return s.renderStratify(c, p, http.StatusOK, v)
}

package web

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/page/stratify"
	"taper/internal/web/progress"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// stratifySave answers POST /stratify/{dataset}/save: a run of the state with
// λ chosen inside each fold.
func (s *Server) stratifySave(c echo.Context) error {
	if err := c.Request().ParseForm(); err == nil && stratify.HasClasses(c.Request().PostForm) {
		return s.severalSave(c)
	}
	x, err := s.steerForm(c)
	if err != nil {
		return err
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	run, err := s.app.StartRun(c.Request().Context(), stratify.Nested(spec))
	if err != nil {
		return err
	}
	to := "/runs/" + run.ID
	if c.Request().PostForm.Get("then") == "report" {
		to += "?then=report"
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// steerForm is steer for a form sent by POST, which must be right.
func (s *Server) steerForm(c echo.Context) (*steering, error) {
	if err := c.Request().ParseForm(); err != nil {
		return nil, usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	x, err := s.steer(c, c.Request().PostForm)
	switch {
	case err != nil:
		return nil, err
	case x.t == nil:
		return nil, usererr.New(usererr.Conflict, "This file cannot be read as it is: settle its dialect first.")
	case len(x.bad) > 0:
		return nil, form.Error(x.bad)
	}
	return x, nil
}

// stratifyCancel answers POST /stratify/{dataset}/cancel: ends a computation
// and shows the controls alone.
func (s *Server) stratifyCancel(c echo.Context) error {
	job, err := formValue(c, "job")
	if err != nil {
		return err
	}
	if !s.live.cancel(c.Param("id"), job) {
		return usererr.New(usererr.NotFound, "This dataset has no computation %q under way. "+
			"It has ended, or it is another page’s, which alone can cancel it. Go back and load the page again.",
			format.Cut(job, 40))
	}
	return c.Redirect(http.StatusSeeOther, localPath(c.Request().PostForm.Get("back")))
}

// stratifyScore answers POST /stratify/{dataset}/score?…: the band of one row
// by the model of the state in the query. The row comes in the body: values of
// a patient never stand in an address.
func (s *Server) stratifyScore(c echo.Context) error {
	x, err := s.steer(c, c.QueryParams())
	if err != nil {
		return err
	}
	if x.t == nil || len(x.bad) > 0 {
		return form.Error(append(x.bad, usererr.Field{Field: "query", Message: "names no state of this page."}))
	}
	spec, err := x.spec()
	if err != nil {
		return err
	}
	if err := c.Request().ParseForm(); err != nil {
		return usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	r, f, err := x.result(spec, time.Minute)
	if f != nil {
		return usererr.New(usererr.Conflict, "The model is still being fitted. Try again when the page shows its result.")
	}
	if err != nil {
		return err
	}
	answer, err := resultview.WhatIfAnswer(r.Model, c.Request().PostForm)
	if err != nil {
		return err
	}
	if !wantsJSON(c) {
		x.answer, x.sent = answer, c.Request().PostForm
		return x.show(http.StatusOK, r, nil)
	}
	return sendParts(c, map[string]templ.Component{"whatif-answer": templates.WhatIfAnswerView(answer)})
}

// stratifyEvents answers GET /stratify/{dataset}/events?job=: progress of a
// computation until it ends. Who leaves leaves the computation.
func (s *Server) stratifyEvents(c echo.Context) error {
	f := s.live.find(c.Param("id"), c.QueryParam("job"))
	if f == nil {
		return s.streams.End(c, progress.Ending{ID: c.QueryParam("job"), Status: "done"})
	}
	defer s.live.leave(f, eventGrace)
	ctx, stop := context.WithCancel(c.Request().Context())
	defer stop()
	states, err := s.live.runner.Watch(ctx, f.id)
	if err != nil {
		return err
	}
	return s.streams.Send(c, progress.Follow(ctx.Done(), states))
}

package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/review"
	runpage "taper/internal/web/page/run"
	"taper/web/templates"
)

// auditPage answers GET /audit/{run}: the queue of labels to review, or the form to start an audit.
func (s *Server) auditPage(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.app.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	q, err := review.Parse(c.QueryParams())
	if err != nil {
		return err
	}
	v, err := s.review(ctx, r)
	if err != nil {
		return err
	}
	v.State = q
	p := s.page(c, "Labels of "+r.Name)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name, URL: "/runs/" + r.ID}, {Label: "Labels"}}
	p.Tabs = runpage.Tabs(r, runpage.Audit, "", "")
	shown, err := v.View(ctx)
	if err != nil {
		return err
	}
	p.Result = templates.Sentence(v.Strong, v.Rest)
	return s.render(c, http.StatusOK, templates.AuditPage(p, shown))
}

// review reads the data of a review's page.
func (s *Server) review(ctx context.Context, r store.Run) (v review.Page, err error) {
	v.Run, v.Workers = r, s.app.Elsewhere(ctx, r.Dataset)
	if v.Queue, err = s.app.Review(ctx, r); err != nil {
		return v, err
	}
	if v.Trials, err = s.db.Trials(ctx, r.ID); err != nil {
		return v, err
	}
	v.Ranking, v.Trial = s.work(app.AuditJob(r.ID)), s.work(app.TrialJob(r.ID))
	if v.Queue == nil {
		return v, nil
	}
	if v.Decisions, err = s.app.Decisions(ctx, v.Queue); err != nil {
		return v, err
	}
	v.Children, err = s.db.Children(ctx, r.ID)
	return v, err
}

// auditStart answers POST /audit/{run}: it ranks the labels, again if they were ranked. Decisions stay.
func (s *Server) auditStart(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	options := audit.Options{Retune: c.Request().PostForm.Get("retune") == "1"}
	terms, err := s.app.Agreed(c.Request().PostForm.Get("share_rows"), "")
	if err != nil {
		return err
	}
	if err := s.app.StartAudit(c.Request().Context(), r, options, terms); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID)
}

// auditForm reads the run and the form of a request with changes.
func (s *Server) auditForm(c echo.Context) (store.Run, error) {
	if _, err := httpio.Form(c); err != nil {
		return store.Run{}, err
	}
	return s.app.Auditable(c.Request().Context(), c.Param("id"))
}

// auditCancel answers POST /audit/{run}/cancel: it stops the ranking, or with job=trial the trial.
func (s *Server) auditCancel(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	id := app.AuditJob(r.ID)
	if c.Request().PostForm.Get("job") == "trial" {
		id = app.TrialJob(r.ID)
	}
	s.app.Jobs.Stop(c.Request().Context(), id)
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID)
}

// auditTry answers POST /audit/{run}/try: a trial with labels flipped deliberately.
func (s *Server) auditTry(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	var o struct {
		Kind string  `form:"kind"`
		Rate float64 `form:"rate" typed:"%" range:"0 0.45"`
		Seed uint64  `form:"seed"`
		To   string  `form:"share_rows"`
	}
	if err := httpio.ReadForm(c, &o); err != nil {
		return err
	}
	terms, err := s.app.Agreed(o.To, "")
	if err != nil {
		return err
	}
	options := audit.TrialOptions{Kind: o.Kind, Rate: o.Rate, Seed: o.Seed}
	if err := s.app.StartTrial(c.Request().Context(), r, options, terms); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID+"#try")
}

// auditRefit answers POST /audit/{run}/refit: a child run on the reviewed labels.
func (s *Server) auditRefit(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	child, err := s.app.StartReviewed(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child.ID)
}

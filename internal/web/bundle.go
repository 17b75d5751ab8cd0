package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
	"taper/internal/web/progress"
	"taper/internal/web/render"
	"taper/web/templates"
)

// sharedRun is the part of a run in a bundle: the numbers and the model as they are kept when data are deleted, and
// the masked report. It is computed only from the run, its rows and its model, so that others who repeat the run
// get the same.
func sharedRun(run store.Run, rows []engine.RowScore, m *model.Model) (s app.Shared, err error) {
	bare, m := report.WithoutRows(run, m)
	c := report.Clinical{Run: bare, Result: bare.Result, Model: m, Known: true}
	if run.Result.Classes == nil {
		c.Statistics = run.Result.Statistics(run.Spec, rows, nil)
	}
	// The verifier knows only the columns used by the run.
	data := store.Dataset{Options: *run.Reading}
	for _, name := range run.Spec.Columns() {
		data.Profiles = append(data.Profiles,
			table.Profile{Name: name, MissingCodes: run.Reading.Column(name).MissingCodes})
	}
	p := report.New(bare, data, c)
	p.Alone, p.Small = true, report.MaskSmall
	view := render.Report(p.Report(), run.ID)
	view.Kept = true // links to pages are left out
	s.Report, err = reportAsFile(context.Background(), view)
	s.Result, s.Model = p.Numbers(), m
	return s, err
}

// bundleFile answers GET /runs/:id/bundle.zip and GET /api/v1/runs/:id/bundle.zip: a run that others can verify;
// with data=1 its file is included.
func (s *Server) bundleFile(c echo.Context) error {
	with := c.QueryParam("data")
	if with != "" && with != "0" && with != "1" {
		return usererr.BadField("data", "must be 1 or 0 (got %.40q)", with)
	}
	b, err := s.app.Bundle(c.Request().Context(), c.Param("id"), with == "1")
	if err != nil {
		return err
	}
	return b.Write(&httpio.FileAnswer{C: c, Kind: "application/zip", Name: "bundle-" + c.Param("id") + ".zip"})
}

// verifyPage answers GET /verify: the form.
func (s *Server) verifyPage(c echo.Context) error {
	return s.render(c, http.StatusOK, templates.VerifyPage(s.verifyFrame(c), templates.VerifyView{}))
}

// verifyForm answers POST /verify: it verifies a bundle with its data. If that takes longer than a page waits, it leads
// to the page with its progress.
func (s *Server) verifyForm(c echo.Context) error {
	parts, err := httpio.ReceiveFiles(c, s.app.Datasets, "bundle", "data")
	if err != nil {
		return s.notVerified(c, err)
	}
	v, err := s.app.StartVerification(c.Request().Context(), parts["bundle"], parts["data"],
		s.app.Computations.Patience)
	if err != nil {
		return s.notVerified(c, err)
	}
	select {
	case <-v.Ended:
		return s.verified(c, v)
	default:
		return c.Redirect(http.StatusSeeOther, "/verify/"+v.ID)
	}
}

// verifyingPage answers GET /verify/{id}: the progress of a verification, or its result.
func (s *Server) verifyingPage(c echo.Context) error {
	v, err := s.app.Verification(c.Param("id"))
	if err != nil {
		return err
	}
	select {
	case <-v.Ended:
		return s.verified(c, v)
	default:
	}
	view := templates.VerifyView{Progress: &templates.Progress{Job: v.ID, Step: "Reading the bundle and its data",
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/verify/" + v.ID + "/cancel"}}}
	if e, ok := s.app.Jobs.Progress(v.ID); ok {
		progress.Show(view.Progress, e)
	}
	frame := s.verifyFrame(c)
	frame.Result = templates.Sentence("Taper trains the run again.",
		"You may leave this page and come back: the result will be here.")
	return s.render(c, http.StatusOK, templates.VerifyPage(frame, view))
}

// verifyCancel answers POST /verify/{id}/cancel.
func (s *Server) verifyCancel(c echo.Context) error {
	if err := s.app.CancelVerification(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/verify/"+c.Param("id"))
}

// verified answers with the result of a verification that has ended.
func (s *Server) verified(c echo.Context, of *app.Verifying) error {
	v, err := of.Result()
	view := verdict(v)
	switch {
	case errors.Is(err, job.ErrCancelled):
		view = templates.VerifyView{Banner: &templates.Banner{Fact: "Cancelled.", Text: "Nothing was compared. " +
			"Choose the files again to verify the bundle."}}
	case err != nil:
		return s.notVerified(c, err)
	}
	return s.render(c, http.StatusOK, templates.VerifyPage(s.verifyFrame(c), view))
}

// notVerified shows the form with what was wrong. Internal errors, and errors of scripts, are handled like all others.
func (s *Server) notVerified(c echo.Context, err error) error {
	e, ok := usererr.As(err)
	if !ok || wantsJSON(c) {
		return err
	}
	return s.render(c, httpio.Status(e.Code), templates.VerifyPage(s.verifyFrame(c), templates.VerifyView{
		Banner: &templates.Banner{Bad: true, Fact: e.Detail, Text: "Nothing was compared."}}))
}

func (s *Server) verifyFrame(c echo.Context) templates.Page {
	p := s.page(c, "Verify a bundle")
	p.Result = templates.Sentence("Taper trains the run again and compares every value with that in the bundle.",
		"It takes as long as the run took, and nothing is stored.")
	return p
}

// verdict describes the result of a verification.
func verdict(v app.Verification) templates.VerifyView {
	fact, text, _ := strings.Cut(v.Sentence, ": ")
	out := templates.VerifyView{Banner: &templates.Banner{Fact: fact + ":", Text: text, Bad: v.Verdict == app.Differs,
		Good: v.Verdict != app.Differs}}
	add := func(label, text string) { out.Facts = append(out.Facts, templates.Fact{Label: label, Value: text}) }
	if v.Verdict == app.Differs {
		add("First difference", v.First.File+", "+v.First.Path)
		add("In the bundle", v.First.Bundle)
		add("Computed again", v.First.Refit)
	}
	add("Run", v.Name+" ("+v.Run+")")
	add("SHA-256 of the data", v.SHA256)
	add("Computed by", computedBy(v.Version, v.Maker))
	add("Computed again by", computedBy(v.HereVersion, v.Here))
	return out
}

func computedBy(version string, m engine.Maker) string {
	if m.Engine == "" {
		return "Taper " + version + "; its build was not noted"
	}
	return "Taper " + version + ", build " + m.Engine + ", on " + m.Class
}

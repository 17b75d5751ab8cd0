package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/page/report"
	"taper/web/static"
	"taper/web/templates"
)

// toJudge is what an external validation is asked beside the file.
type toJudge struct {
	by   string // column of the subgroups
	keep bool
	name string // of the file
}

// evaluateOptions say what to judge a run's model by. Where its data are gone,
// rows cannot be compared with those it was trained on.
func (s *Server) evaluateOptions(ctx context.Context, r store.Run, m *engine.Model,
	a toJudge) (engine.EvaluateOptions, error) {
	o := engine.EvaluateOptions{By: a.by, Seed: r.Spec.Seed}
	d, err := s.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return o, unlessGone(err)
	}
	t, err := s.datasets.TableOf(ctx, r, d)
	if err != nil {
		return o, unlessGone(err)
	}
	rows, err := s.db.RunRows(ctx, r.ID)
	if err != nil {
		return o, unlessGone(err)
	}
	o.Known = engine.KnownRows(m, t, rows)
	return o, nil
}

// unlessGone passes over what an errs.Error says: the data are not there.
func unlessGone(err error) error {
	if _, ok := usererr.As(err); ok {
		return nil
	}
	return err
}

// keepEvaluation stores what came of judging a file and returns its id, "" where
// it is no external validation or was not to be kept. Of the file stay its name,
// its hash and the counts.
func (s *Server) keepEvaluation(ctx context.Context, r store.Run, e *engine.Evaluation, data []byte,
	a toJudge) (string, error) {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if hash == r.DatasetSHA {
		e.Refuse()
	}
	if !a.keep || e.Refused() != "" {
		return "", nil
	}
	return s.db.SaveEvaluation(ctx, store.Evaluation{Run: r.ID, Name: a.name, File: a.name, SHA256: hash,
		Version: s.cfg.Version, Created: s.now(), Result: e})
}

// evaluationAt reads a validation with its run and model.
func (s *Server) evaluationAt(c echo.Context) (e store.Evaluation, r store.Run, m *engine.Model, err error) {
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

// developmentRows are the rows that judged a run, where a validation needs them
// and they are there.
func (s *Server) developmentRows(ctx context.Context, r store.Run) []engine.RowScore {
	if r.Result == nil || r.Result.Classes != nil || r.Result.Clinical != nil {
		return nil
	}
	rows, err := s.db.RunRows(ctx, r.ID)
	if err != nil {
		return nil
	}
	return rows
}

// askedBy is the external validation that a run was recalibrated by; nil where
// there was none, or it was deleted since.
func (s *Server) askedBy(ctx context.Context, o *store.Origin) (*store.Evaluation, error) {
	if o == nil || o.Evaluation == "" {
		return nil, nil
	}
	e, err := s.db.Evaluation(ctx, o.Evaluation)
	if usererr.Is(err, usererr.NotFound) {
		return nil, nil
	}
	return &e, err
}

// evaluationPage answers GET /evaluations/{id} and GET
// /api/v1/evaluations/{id}/report: the printable report, without any script. With
// download=1 it is one file.
func (s *Server) evaluationPage(c echo.Context) error {
	e, r, m, err := s.evaluationAt(c)
	if err != nil {
		return err
	}
	x := report.NewExternal(r, m, e, s.developmentRows(c.Request().Context(), r), c.Request().Host)
	view := x.Report()
	if c.QueryParam("download") != "1" {
		return s.render(c, http.StatusOK, templates.EvaluationPage(s.page(c, view.Title), view, x.Tools()))
	}
	css, err := static.CSS()
	if err != nil {
		return fmt.Errorf("read style sheets: %w", err)
	}
	var b bytes.Buffer
	if err := templates.ReportFile(view, css).Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="external-validation-`+e.ID+`.html"`)
	return c.HTMLBlob(http.StatusOK, b.Bytes())
}

// renameEvaluation answers POST /evaluations/{id}.
func (s *Server) renameEvaluation(c echo.Context) error {
	name, err := formValue(c, "name")
	if err != nil {
		return err
	}
	if err := s.nameEvaluation(c.Request().Context(), c.Param("id"), name); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/evaluations/"+c.Param("id"))
}

func (s *Server) nameEvaluation(ctx context.Context, id, name string) error {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > datasets.MaxName {
		return usererr.BadField("name", "must hold 1 to %d bytes", datasets.MaxName)
	}
	return s.db.RenameEvaluation(ctx, id, name)
}

// askEvaluation answers GET /evaluations/{id}/delete: the question.
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
	p := s.page(c, d.Question)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: "Its run", URL: "/runs/" + e.Run}}
	return s.render(c, http.StatusOK, templates.AskPage(p, d, nil, to))
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
	return c.Redirect(http.StatusSeeOther, "/runs/"+e.Run+"#external-h")
}

// recalibrateEvaluation answers POST /evaluations/{id}/recalibrate: a child run
// with the risks moved by the numbers of the validation, or to another
// prevalence.
func (s *Server) recalibrateEvaluation(c echo.Context) error {
	ctx := c.Request().Context()
	e, err := s.db.Evaluation(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if err := c.Request().ParseForm(); err != nil {
		return usererr.New(usererr.Invalid, "The form cannot be read.")
	}
	sent := c.Request().PostForm
	m := moveTo{Evaluation: e.ID, How: sent.Get("how")}
	if m.How == "" {
		v, ok := form.ParsePercent(sent.Get("prevalence"))
		if !ok {
			return usererr.BadField("prevalence", "must be a number in per cent, such as 12.5")
		}
		m.Prevalence = &v
	}
	child, err := s.recalibrated(ctx, e.Run, m)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child+"#population-h")
}

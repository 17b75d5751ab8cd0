package web

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/doc"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
	runpage "taper/internal/web/page/run"
	"taper/internal/web/page/scoring"
	"taper/web/templates"
)

// newRows is an uploaded file to be scored.
type newRows struct {
	s        *Server
	run      store.Run
	m        *model.Model
	data     []byte
	name     string // of the file returned
	evaluate bool
	asked    app.ValidationRequest
	options  model.PredictOptions
}

// scoreFile answers POST /runs/{id}/score. A script gets the scored file and its summary in one answer, others one
// of both. Nothing is kept: the upload is deleted before the first row is scored.
func (s *Server) scoreFile(c echo.Context) error {
	r, m, err := s.usable(c)
	if err != nil {
		return err
	}
	rows, form, err := s.receiveRows(c, r, m)
	if err == nil {
		switch {
		case strings.HasPrefix(c.Request().Header.Get(echo.HeaderAccept), echo.MIMEMultipartForm):
			return s.sendScored(c, rows)
		case rows.evaluate || form.Fields["do"] == "look":
			err = s.showScored(c, r, rows)
		default:
			err = model.PredictCSV(c.Request().Context(), m, rows.data,
				&httpio.FileAnswer{C: c, Kind: "text/csv", Name: rows.name},
				rows.options)
		}
	}
	if e, ok := usererr.As(err); ok && !c.Response().Committed && !wantsJSON(c) {
		f := scoring.FileForm(r, m, s.cfg.Limits)
		f.Problem, f.Evaluate = phrase.UpperFirst(e.Detail), form.Fields["evaluate"] == "1"
		return s.runPart(c, httpio.Status(e.Code), r, runpage.Patients, templates.ScoreSection(f))
	}
	return err
}

// receiveRows reads the file into memory and deletes it from the data folder.
func (s *Server) receiveRows(c echo.Context, r store.Run, m *model.Model) (newRows, httpio.FileForm, error) {
	up, form, err := httpio.Receive(c, s.datasets)
	if err != nil {
		return newRows{}, form, err
	}
	data, err := up.Take(c.Request().Context())
	return newRows{
		s: s, run: r, m: m, data: data, name: scoredName(form.File), evaluate: form.Fields["evaluate"] == "1",
		asked:   app.ValidationRequest{By: form.Fields["by"], Keep: true, Name: form.File},
		options: s.app.PredictOptions(),
	}, form, err
}

// evaluation is the external validation, if it was requested.
func (n newRows) evaluation(ctx context.Context) (*templates.Evaluation, error) {
	if !n.evaluate {
		return nil, nil
	}
	e, id, err := n.s.app.ValidateFile(ctx, n.run, n.m, n.data, n.asked)
	if err != nil {
		return nil, err
	}
	var details []doc.Node
	if e.Classes == nil {
		details = report.ExternalParts(n.m, e)
	}
	return scoring.Kept(scoring.Evaluation(n.m, e, details), e, id), nil
}

// score writes the scored file and returns its summary.
func (n newRows) score(ctx context.Context, out io.Writer) (templates.Scored, error) {
	judged, err := n.evaluation(ctx)
	if err != nil {
		return templates.Scored{}, err
	}
	var sum model.Summary
	o := n.options
	o.Summary = &sum
	if err := model.PredictCSV(ctx, n.m, n.data, out, o); err != nil {
		return templates.Scored{}, err
	}
	v := scoring.Scored(n.m, sum)
	v.File, v.Evaluation = n.name, judged
	return v, nil
}

// showScored is the answer as a page.
func (s *Server) showScored(c echo.Context, r store.Run, n newRows) error {
	v, err := n.score(c.Request().Context(), io.Discard)
	if err != nil {
		return err
	}
	v.Again = runpage.Patients.URL(r.ID) + "#score"
	return s.runPart(c, http.StatusOK, r, runpage.Patients, templates.ScoredView(v))
}

// sendScored is the answer for a script: multipart/form-data with the part "file", sent while it is computed, and
// the part "html". An error after the first byte truncates the answer, which the client detects.
func (s *Server) sendScored(c echo.Context, n newRows) error {
	out := &partAnswer{c: c, name: n.name}
	v, err := n.score(c.Request().Context(), out)
	if err != nil {
		return err
	}
	html, err := rendered(c, templates.ScoredView(v))
	if err != nil {
		return err
	}
	if err := out.parts.WriteField("html", html); err != nil {
		return err
	}
	return out.parts.Close()
}

// partAnswer starts the answer at the first byte of the file, so that earlier errors are answered as errors.
type partAnswer struct {
	c     echo.Context
	name  string
	parts *multipart.Writer
	file  io.Writer
}

func (a *partAnswer) Write(p []byte) (n int, err error) {
	if a.parts == nil {
		a.parts = multipart.NewWriter(a.c.Response())
		a.c.Response().Header().Set(echo.HeaderContentType, a.parts.FormDataContentType())
		if a.file, err = a.parts.CreateFormFile("file", a.name); err != nil {
			return 0, err
		}
	}
	return a.file.Write(p)
}

// scoredName is the name of the file returned.
func scoredName(file string) string {
	base := file
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		base = file[:i]
	}
	return base + "-scored.csv"
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/errs"
)

// apiPredict answers POST /api/v1/runs/{id}/predict: new rows, scored by the
// run's model. JSON comes back as JSON; a CSV or Excel file as CSV in the
// dialect it came in, or with ?evaluate=1, when it carries its outcome, as an
// external validation.
func (s *Server) apiPredict(c echo.Context) error {
	m, err := s.db.RunModel(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	switch {
	case kind == echo.MIMEApplicationJSON, kind != "text/csv" && startsObject(c.Request()):
		return predictJSON(c, m)
	case kind == echo.MIMEMultipartForm:
		return errs.New(errs.Invalid, "The request is a form: send the file itself as the body, with the content type text/csv.")
	}
	up, err := s.intake.Upload(c.Request().Body)
	if err != nil {
		return brokenUpload(err)
	}
	data, err := taken(up)
	if err != nil {
		return err
	}
	return s.predictFile(c, m, data, "scored.csv")
}

// startsObject reports whether a body begins as a JSON object does: many
// clients send one under another type.
func startsObject(r *http.Request) bool {
	b := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{b, r.Body}
	first, err := b.Peek(1)
	return err == nil && first[0] == '{'
}

func predictJSON(c echo.Context, m *engine.Model) error {
	judge, err := evaluated(c)
	if err != nil {
		return err
	}
	var q struct {
		Rows []json.RawMessage `json:"rows"`
	}
	if err := readJSON(c, &q); err != nil {
		return err
	}
	rows := make([]map[string]any, len(q.Rows))
	for i, raw := range q.Rows {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber() // cells as they were written
		if err := d.Decode(&rows[i]); err != nil || rows[i] == nil {
			return errs.BadField("rows["+strconv.Itoa(i)+"]", "must be an object of cells by column")
		}
	}
	if !judge {
		scored, err := engine.PredictRows(m, rows)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]any{"rows": scored})
	}
	scored, e, err := engine.EvaluateRows(m, rows)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Rows []engine.Prediction `json:"rows"`
		evaluationJSON
	}{scored, evaluationJSON{e, evaluationMetrics(e)}})
}

// evaluated reads ?evaluate=.
func evaluated(c echo.Context) (bool, error) {
	switch v := c.QueryParam("evaluate"); v {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	default:
		return false, errs.BadField("evaluate", "must be 1 or 0 (got %.40q)", v)
	}
}

// predictFile writes the scored file, or what it says about the model.
func (s *Server) predictFile(c echo.Context, m *engine.Model, data []byte, name string) error {
	o := engine.PredictOptions{Limits: s.cfg.limits}
	ctx := c.Request().Context()
	judge, err := evaluated(c)
	if err != nil {
		return err
	}
	if !judge {
		return engine.PredictCSV(ctx, m, data, &fileAnswer{c: c, kind: "text/csv", name: name}, o)
	}
	e, err := engine.EvaluateCSV(ctx, m, data, o)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, evaluationJSON{e, evaluationMetrics(e)})
}

// evaluationJSON is an evaluation with the metrics of its task.
type evaluationJSON struct {
	*engine.Evaluation
	Metrics any `json:"metrics"`
}

func evaluationMetrics(e *engine.Evaluation) any {
	if e.Classes != nil {
		return e.Classes
	}
	return e.Metrics
}

// fileAnswer makes the answer a file with its first byte, so that an error
// before it is still answered as an error.
type fileAnswer struct {
	c          echo.Context
	kind, name string
	begun      bool
}

func (a *fileAnswer) Write(p []byte) (int, error) {
	if !a.begun {
		attach(a.c, a.kind, a.name)
		a.begun = true
	}
	return a.c.Response().Write(p)
}

// scoredName names the file that comes back.
func scoredName(file string) string {
	base := file
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		base = file[:i]
	}
	return base + "-scored.csv"
}

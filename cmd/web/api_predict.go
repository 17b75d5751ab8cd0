package main

import (
	"mime"
	"net/http"
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
	if kind == echo.MIMEApplicationJSON {
		return predictJSON(c, m)
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

func predictJSON(c echo.Context, m *engine.Model) error {
	var q struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := readJSON(c, &q); err != nil {
		return err
	}
	rows, err := engine.PredictRows(m, q.Rows)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"rows": rows})
}

// predictFile writes the scored file, or what it says about the model.
func (s *Server) predictFile(c echo.Context, m *engine.Model, data []byte, name string) error {
	o := engine.PredictOptions{Limits: s.cfg.limits}
	ctx := c.Request().Context()
	switch c.QueryParam("evaluate") {
	case "", "0":
		return engine.PredictCSV(ctx, m, data, &fileAnswer{c: c, kind: "text/csv", name: name}, o)
	case "1":
		e, err := engine.EvaluateCSV(ctx, m, data, o)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, e)
	}
	return errs.BadField("evaluate", "must be 1 or 0")
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

package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/store"
)

// evaluationItem is an external validation in a list.
type evaluationItem struct {
	ID               string    `json:"id"`
	Run              string    `json:"run"`
	Name             string    `json:"name"`
	File             string    `json:"file"`
	SHA256           string    `json:"sha256"`
	Version          string    `json:"version"`
	Created          time.Time `json:"created"`
	N                int       `json:"n"`
	Events           int       `json:"events"`
	AUC              *float64  `json:"auc"`
	ObservedExpected *float64  `json:"observed_expected"`
	Accuracy         *float64  `json:"accuracy"`
	MAE              *float64  `json:"mae"`
}

func itemOf(e store.Evaluation) evaluationItem {
	return evaluationItem{e.ID, e.Run, e.Name, e.File, e.SHA256, e.Version, e.Created.UTC(), e.N, e.Events, e.AUC,
		e.ObservedExpected, e.Accuracy, e.MAE}
}

// apiEvaluations answers GET /api/v1/runs/{id}/evaluations.
func (s *Server) apiEvaluations(c echo.Context) error {
	ctx := c.Request().Context()
	if _, err := s.db.RunLine(ctx, c.Param("id")); err != nil {
		return err
	}
	all, err := s.db.Evaluations(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	items := make([]evaluationItem, len(all))
	for i, e := range all {
		items[i] = itemOf(e)
	}
	return c.JSON(http.StatusOK, list[evaluationItem]{items, len(items)})
}

// apiEvaluation answers GET /api/v1/evaluations/{id}.
func (s *Server) apiEvaluation(c echo.Context) error {
	e, err := s.db.Evaluation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return s.sendEvaluation(c, e)
}

// evaluationRecord is an external validation with what it found.
type evaluationRecord struct {
	evaluationItem
	Result evaluationJSON `json:"result"`
}

func (s *Server) sendEvaluation(c echo.Context, e store.Evaluation) error {
	return c.JSON(http.StatusOK, evaluationRecord{itemOf(e), evaluationJSON{Evaluation: e.Result,
		Metrics: evaluationMetrics(e.Result)}})
}

// renameRequest is the body of PATCH /api/v1/evaluations/{id}.
type renameRequest struct {
	Name string `json:"name"`
}

// apiPatchEvaluation answers PATCH /api/v1/evaluations/{id}.
func (s *Server) apiPatchEvaluation(c echo.Context) error {
	var p renameRequest
	if err := readJSON(c, &p); err != nil {
		return err
	}
	if err := s.app.RenameValidation(c.Request().Context(), c.Param("id"), p.Name); err != nil {
		return err
	}
	return s.apiEvaluation(c)
}

// apiDeleteEvaluation answers DELETE /api/v1/evaluations/{id}.
func (s *Server) apiDeleteEvaluation(c echo.Context) error {
	if err := s.db.DeleteEvaluation(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/model"
	"taper/internal/store"
	"taper/internal/web/httpio"
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

// evaluations answers GET /api/v1/runs/{id}/evaluations.
func (h *Handlers) evaluations(c echo.Context) error {
	ctx := c.Request().Context()
	if _, err := h.DB.RunLine(ctx, c.Param("id")); err != nil {
		return err
	}
	all, err := h.DB.Evaluations(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	items := make([]evaluationItem, len(all))
	for i, e := range all {
		items[i] = itemOf(e)
	}
	return c.JSON(http.StatusOK, list[evaluationItem]{items, len(items)})
}

// evaluation answers GET /api/v1/evaluations/{id}.
func (h *Handlers) evaluation(c echo.Context) error {
	e, err := h.DB.Evaluation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return h.sendEvaluation(c, e)
}

// evaluationRecord is an external validation with its result.
type evaluationRecord struct {
	evaluationItem
	Result evaluationJSON `json:"result"`
}

func (h *Handlers) sendEvaluation(c echo.Context, e store.Evaluation) error {
	var m *model.Model
	if e.Result.Classes != nil && e.Result.Cost != nil { // whose costs the interval of the mean needs
		var err error
		if m, err = h.DB.RunModel(c.Request().Context(), e.Run); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, evaluationRecord{itemOf(e), evaluationOf(e.Result, m, "")})
}

// renameRequest is the body of PATCH /api/v1/evaluations/{id}.
type renameRequest struct {
	Name string `json:"name"`
}

// patchEvaluation answers PATCH /api/v1/evaluations/{id}.
func (h *Handlers) patchEvaluation(c echo.Context) error {
	var p renameRequest
	if err := httpio.ReadJSON(c, &p); err != nil {
		return err
	}
	if err := h.App.RenameValidation(c.Request().Context(), c.Param("id"), p.Name); err != nil {
		return err
	}
	return h.evaluation(c)
}

// deleteEvaluation answers DELETE /api/v1/evaluations/{id}.
func (h *Handlers) deleteEvaluation(c echo.Context) error {
	if err := h.DB.DeleteEvaluation(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

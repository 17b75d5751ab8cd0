package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
)

// keptRuns are the runs whose models stay.
type keptRuns struct {
	Kept []string `json:"kept"`
}

// deleteDataset answers DELETE /api/v1/datasets/{id}: it deletes the dataset and its runs. With models=keep the
// answer lists the runs whose models stay.
func (h *Handlers) deleteDataset(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	keep, err := datasets.KeepsModels(c.QueryParam("models"))
	if err != nil {
		return err
	}
	if !keep {
		if err := h.App.DeleteDataset(ctx, id); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	}
	kept, err := h.App.KeepModels(ctx, id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, keptRuns{kept})
}

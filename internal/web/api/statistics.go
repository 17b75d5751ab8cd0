package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// statisticsJSON are the statistics of a report, with those of subgroups.
type statisticsJSON struct {
	engine.Statistics
	By        string          `json:"by,omitempty"`
	Subgroups []stat.Subgroup `json:"subgroups,omitempty"`
}

// statistics answers GET /api/v1/runs/{id}/statistics?by=&order=.
func (h *Handlers) statistics(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := h.DB.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if err := run.RequireResult(); err != nil {
		return err
	}
	if run.Result.Classes != nil {
		return usererr.New(usererr.Invalid, "These statistics are for two classes; this run has several.")
	}
	by := c.QueryParam("by")
	all, rows, err := h.App.Statistics(ctx, run, c.QueryParam("order"))
	if err != nil {
		return err
	}
	_, groups, err := h.App.Subgroups(ctx, run, rows, by)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, statisticsJSON{all, by, groups})
}

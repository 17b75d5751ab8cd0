package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/web/httpio"
	"taper/internal/web/page/report"
)

// recalibratedJSON is a stored child of a run.
type recalibratedJSON struct {
	ID     string `json:"id"`
	Parent string `json:"parent"`
}

// recalibrate answers POST /api/v1/runs/{id}/recalibrate.
func (h *Handlers) recalibrate(c echo.Context) error {
	var m app.Recalibration
	if err := httpio.ReadJSON(c, &m); err != nil {
		return err
	}
	child, err := h.App.Recalibrate(c.Request().Context(), c.Param("id"), m, report.RecalibrationReport)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+child)
	return c.JSON(http.StatusCreated, recalibratedJSON{child, c.Param("id")})
}

package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
)

// verify answers POST /api/v1/verifications: it repeats the run of a bundle and compares the result.
func (h *Handlers) verify(c echo.Context) error {
	parts, err := httpio.ReceiveFiles(c, h.App.Datasets, "bundle", "data")
	if err != nil {
		return err
	}
	defer httpio.AbortFiles(parts)
	v, err := h.App.Verify(c.Request().Context(), parts["bundle"], parts["data"], nil)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v)
}

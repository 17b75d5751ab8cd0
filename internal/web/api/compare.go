package api

import (
	"net/http"

	"taper/internal/web/page/comparison"

	"github.com/labstack/echo/v4"
)

// compare answers GET /api/v1/compare?ids=a,b&base=a.
func (h *Handlers) compare(c echo.Context) error {
	ctx := c.Request().Context()
	q, err := comparison.Parse(c.QueryParams())
	if err != nil {
		return err
	}
	runs, err := h.App.FinishedRuns(ctx, q.IDs)
	if err != nil {
		return err
	}
	x, err := comparison.New(ctx, q, runs)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, x.Comparison)
}

package api

import (
	"github.com/labstack/echo/v4"

	"taper/internal/web/form"
)

// sharing is what a call that starts a job says of its rows.
type sharing struct {
	To string `form:"share_rows" about:"Queue by which the rows may go to other machines; otherwise they stay here"`
}

// agreed reads whether the owner of the rows lets them go.
func (h *Handlers) agreed(c echo.Context) (bool, error) {
	var q sharing
	if err := form.ReadStrict(&q, c.QueryParams()); err != nil {
		return false, err
	}
	return h.App.Agreed(q.To)
}

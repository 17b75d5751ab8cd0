package api

import (
	"github.com/labstack/echo/v4"

	"taper/internal/web/form"
)

// sharing is the parameter by which a call allows workers to receive its rows.
type sharing struct {
	To string `form:"share_rows" about:"Queue by which the rows may go to other machines; otherwise they stay here"`
}

// agreed reports whether the owner of the rows has agreed to send them to workers.
func (h *Handlers) agreed(c echo.Context) (bool, error) {
	var q sharing
	if err := form.ReadStrict(&q, c.QueryParams()); err != nil {
		return false, err
	}
	return h.App.Agreed(q.To)
}

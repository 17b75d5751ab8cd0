package api

import (
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/web/form"
)

// sharing are the parameters by which a call says which machines may help with its job.
type sharing struct {
	To    string `form:"share_rows" about:"Queue by which the rows may go to other machines; otherwise they stay here"`
	Class string `form:"class" about:"Class of processors that alone computes its units, like amd64+fma; otherwise any"`
}

// agreed returns the terms on which other machines may help.
func (h *Handlers) agreed(c echo.Context) (app.Terms, error) {
	var q sharing
	if err := form.ReadStrict(&q, c.QueryParams()); err != nil {
		return app.Terms{}, err
	}
	return h.App.Agreed(q.To, q.Class)
}

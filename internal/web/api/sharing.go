package api

import (
	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/web/form"
)

// sharing are the parameters by which a call says which machines may help with its job.
type sharing struct {
	To    string `form:"share_rows" about:"Queue that may carry the rows of this job. Default: none; they stay here"`
	Class string `form:"class" about:"The only class of processors for its units, such as amd64+fma. Default: any"`
}

// agreed returns the terms on which other machines may help.
func (h *Handlers) agreed(c echo.Context) (app.Terms, error) {
	var q sharing
	if err := form.ReadStrict(&q, c.QueryParams()); err != nil {
		return app.Terms{}, err
	}
	return h.App.Agreed(q.To, q.Class)
}

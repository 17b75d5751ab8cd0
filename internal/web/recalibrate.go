package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/page/report"
)

// recalibrateRun answers POST /runs/{id}/recalibrate.
func (s *Server) recalibrateRun(c echo.Context) error {
	var m app.Recalibration
	for name, to := range map[string]**float64{"prevalence": &m.Prevalence, "intercept": &m.Intercept, "slope": &m.Slope} {
		text, err := formValue(c, name)
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		read := form.ParseNumber
		if name == "prevalence" {
			read = form.ParsePercent
		}
		v, ok := read(text)
		if !ok {
			return usererr.BadField(name, "must be a number")
		}
		*to = &v
	}
	child, err := s.app.Recalibrate(c.Request().Context(), c.Param("id"), m, report.Moved)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child)
}

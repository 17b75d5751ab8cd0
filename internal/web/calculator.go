package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
)

// calculatorFile answers GET /runs/:id/calculator.html and GET /api/v1/runs/:id/calculator.html: the model of a run as
// one file. Shown here it runs under the policy that it carries, stricter than that of the pages but for its own
// script and style; with download=1 it is a file to save.
func (s *Server) calculatorFile(c echo.Context) error {
	file, err := s.app.Calculator(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if c.QueryParam("download") == "1" {
		httpio.Attach(c, echo.MIMETextHTMLCharsetUTF8, "calculator-"+c.Param("id")+".html")
	}
	c.Response().Header().Set("Content-Security-Policy", file.Policy+"; frame-ancestors 'none'")
	return c.HTMLBlob(http.StatusOK, file.HTML)
}

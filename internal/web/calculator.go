package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
)

// calculatorFile answers GET /runs/:id/calculator.html and GET /api/v1/runs/:id/calculator.html: the model of a run
// as one HTML file. Here it is served under the policy inside the file, which is stricter than that of pages except
// for its own script and style. With download=1 it is a download.
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

package api

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/web/httpio"
)

// served is a server of the calls that need no data, with errors in the problem format.
func served() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		p := httpio.ProblemOf(err, c)
		_ = c.JSON(p.Status, p)
	}
	e.Pre(httpio.LimitBody)
	for _, call := range new(Handlers).Calls() {
		e.Add(call.Method, call.Path, call.Handler, call.Middleware...)
	}
	return e
}

// ask sends one request.
func ask(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/web/format"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// explore answers GET /: the page, or the state as JSON to those who ask for
// it.
func (s *Server) explore(c echo.Context) error {
	if strings.Contains(c.Request().Header.Get("Accept"), "application/json") {
		return s.exploreLive(c)
	}
	x := explore.NewPage(c.QueryParams())
	x.Body.Doors = s.doors()
	p := s.page(c, x.Title)
	p.Help, p.Body = "/help/"+x.Body.Family, "live"
	p.Actions, p.Result = templates.ExploreActions(), x.Body.Sentence
	status := http.StatusOK
	if len(x.Bad) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.render(c, status, templates.ExplorePage(p, x.Body))
}

// exploreLive answers GET /explore: the state of the query as JSON, or what
// differs from the state on the screen.
func (s *Server) exploreLive(c echo.Context) error {
	a, err := s.explorer.Live(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// exploreCSV answers GET /explore.csv: the numbers of one chart of a state.
func (s *Server) exploreCSV(c echo.Context) error {
	id, data, err := explore.CSV(c.QueryParams())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", `attachment; filename="`+id+`.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", data)
}

// doors lead on from the explorer to the pages that exist.
func (s *Server) doors() []templates.Door {
	exists := map[string]bool{}
	for _, l := range s.nav() {
		exists[l.URL] = true
	}
	var out []templates.Door
	for _, d := range []templates.Door{
		{Title: "Add label noise", Text: "Fit two models to the same data, flip labels, and see which one holds up.",
			URL: "/playground"},
		{Title: "Show it to someone", Text: "Accuracy versus label noise with 95" + format.Pc +
			" bands, as four slides.", URL: "/robustness"},
		{Title: "Stratify a CSV", Text: "Upload a table and get risk bands with confidence intervals. " +
			"Nothing leaves this machine.", URL: "/data"},
	} {
		if exists[d.URL] {
			out = append(out, d)
		}
	}
	return out
}

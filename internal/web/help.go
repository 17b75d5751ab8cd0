package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/internal/web/page/help"
	"taper/web/templates"
)

// helpIndex answers GET /help: all topics.
func (s *Server) helpIndex(c echo.Context) error {
	p := s.page(c, "Help")
	p.Result = templates.Sentence("Press ? on any control", "of the loss explorer, and its topic opens beside.")
	return s.render(c, http.StatusOK, templates.HelpIndex(p, help.Index()))
}

// helpPage answers GET /help/{topic}. The side panel of a page shows the same.
func (s *Server) helpPage(c echo.Context) error {
	topic, ok := help.Find(c.Param("topic"))
	if !ok {
		return usererr.New(usererr.NotFound, "There is no help on %q. The list of topics is at /help.",
			format.Cut(c.Param("topic"), 40))
	}
	p := s.page(c, topic.Title)
	p.Crumbs = []templates.Link{{Label: "Help", URL: "/help"}, {Label: topic.Title}}
	return s.render(c, http.StatusOK, templates.HelpPage(p, topic.Help))
}

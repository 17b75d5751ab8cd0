package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/internal/web/page/help"
	"taper/web/templates"
)

// helpIndex answers GET /help: all topics, or those that contain the words of q.
func (s *Server) helpIndex(c echo.Context) error {
	p := s.page(c, "Help")
	query := strings.TrimSpace(format.Cut(c.QueryParam("q"), 60))
	groups := help.Index(query)
	p.Result = templates.Sentence("Press ? on any other page or on a control",
		"to open its help in a side panel. On this page ? goes to the search.")
	if query != "" {
		found := 0
		for _, g := range groups {
			found += len(g.Links)
		}
		p.Result = templates.Sentence(phrase.Count(found, "topic"), "match ‘"+query+"’.")
		switch found {
		case 0:
			p.Result = templates.Sentence("No topic",
				"matches ‘"+query+"’. Try one word, or another name of the same thing.")
		case 1:
			p.Result = templates.Sentence("One topic", "matches ‘"+query+"’.")
		}
	}
	return s.render(c, http.StatusOK, templates.HelpIndex(p, query, groups))
}

// helpPage answers GET /help/{topic}. Side panels show the same.
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

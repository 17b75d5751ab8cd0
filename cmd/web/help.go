package main

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"taper/cmd/web/wording"
	"taper/internal/engine/errs"
	"taper/web/templates"
)

// helpTopic is one page of help. Its text is short: the formula, what the
// sliders do, what to look for, where it comes from.
type helpTopic struct {
	id, title, group string
	templates.Help
}

// helpIndex answers GET /help: all topics.
func (s *Server) helpIndex(c echo.Context) error {
	p := s.page(c, "Help")
	p.Result = templates.Sentence("Press ? on any control", "of the loss explorer, and its topic opens beside.")
	var groups []templates.HelpGroup
	for _, t := range helpTopics() {
		i := slices.IndexFunc(groups, func(g templates.HelpGroup) bool { return g.Title == t.group })
		if i < 0 {
			groups, i = append(groups, templates.HelpGroup{Title: t.group}), len(groups)
		}
		groups[i].Links = append(groups[i].Links, templates.Link{Label: t.title, URL: "/help/" + t.id})
	}
	return s.render(c, http.StatusOK, templates.HelpIndex(p, groups))
}

// helpPage answers GET /help/{topic}. The side panel of a page shows the same.
func (s *Server) helpPage(c echo.Context) error {
	id := c.Param("topic")
	all := helpTopics()
	i := slices.IndexFunc(all, func(t helpTopic) bool { return t.id == id })
	if i < 0 {
		return errs.New(errs.NotFound, "There is no help on %q. The list of topics is at /help.", wording.Cut(id, 40))
	}
	p := s.page(c, all[i].title)
	p.Crumbs = []templates.Link{{Label: "Help", URL: "/help"}, {Label: all[i].title}}
	return s.render(c, http.StatusOK, templates.HelpPage(p, all[i].Help))
}

// Package help holds the topics behind the question marks of the pages: short
// texts of what a loss, a page or a control is, what to look for, and where it
// comes from.
package help

import (
	"slices"

	"taper/web/templates"
)

// Topic is one page of help. Its text is short: the formula, what the sliders
// do, what to look for, where it comes from.
type Topic struct {
	ID, Title, Group string
	templates.Help
}

// Find returns the topic of that id.
func Find(id string) (Topic, bool) {
	all := topics()
	i := slices.IndexFunc(all, func(t Topic) bool { return t.ID == id })
	if i < 0 {
		return Topic{}, false
	}
	return all[i], true
}

// Index lists all topics by their groups.
func Index() []templates.HelpGroup {
	var groups []templates.HelpGroup
	for _, t := range topics() {
		i := slices.IndexFunc(groups, func(g templates.HelpGroup) bool { return g.Title == t.Group })
		if i < 0 {
			groups, i = append(groups, templates.HelpGroup{Title: t.Group}), len(groups)
		}
		groups[i].Links = append(groups[i].Links, templates.Link{Label: t.Title, URL: "/help/" + t.ID})
	}
	return groups
}

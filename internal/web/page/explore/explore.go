// Package explore is the loss explorer. From a state it makes the page, the differences that a slider move needs,
// and the file of a chart. The address holds the complete state, so a link, a reload and a slider move give the
// same page.
package explore

import (
	"bytes"
	"net/url"

	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Page is the explorer at an address.
type Page struct {
	Title string
	Body  templates.Explore // the caller adds the links to other pages
	Bad   []usererr.Field   // parameters of the address that could not be used
}

// NewPage computes the page of a query.
func NewPage(q url.Values) Page {
	st, bad := Parse(q)
	v := newView(st)
	return Page{Title: v.title, Body: v.page(bad), Bad: bad}
}

// CSV writes the numbers of the chart named by chart= and returns its id.
func CSV(q url.Values) (id string, data []byte, err error) {
	st, bad := Parse(q)
	if len(bad) > 0 {
		return "", nil, usererr.BadFields(bad)
	}
	c, ok := newView(st).chart(q.Get("chart"))
	if !ok {
		return "", nil, usererr.New(usererr.NotFound, "These losses have no chart %q.", format.Cut(q.Get("chart"), 30))
	}
	var b bytes.Buffer
	if err := c.file(&b); err != nil {
		return "", nil, err
	}
	return c.plot.ID, b.Bytes(), nil
}

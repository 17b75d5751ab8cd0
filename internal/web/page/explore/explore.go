// Package explore is the loss explorer: what a state of it shows, as a page, as
// what a move of a slider changes, and as a chart's file. A state is all that
// its address says, so links, a reload and the page after a move agree.
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
	Body  templates.Explore // its doors are left to the caller
	Bad   []usererr.Field   // what of the address could not be used
}

// NewPage computes the page of a query.
func NewPage(q url.Values) Page {
	st, bad := Parse(q)
	v := newView(st)
	return Page{Title: v.title, Body: v.page(bad), Bad: bad}
}

// CSV writes the numbers of the chart that a query names with chart=, and says
// which chart that is.
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

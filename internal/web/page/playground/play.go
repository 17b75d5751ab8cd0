package playground

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"taper/internal/engine/usererr"
	"taper/internal/web/live"
	"taper/web/templates"
)

// Page is a state with its page.
type Page struct {
	Sentence templ.Component
	Problem  string // with the address or the points; the rest of the page is shown
	Presents bool   // presentation: large text, no controls
	View     templates.Play
}

// Page shows the state of a query. Where points cannot be fitted the page has controls and a message but no
// figures, so that the user can correct the settings.
func (p *Playground) Page(ctx context.Context, q url.Values) (Page, error) {
	st, bad := parse(q)
	a, err := p.show(ctx, st, bad)
	problem := ""
	if e, ok := usererr.As(err); ok && e.Code == usererr.Invalid {
		a, problem = unfitted(st), problemOf(e)
	} else if err != nil {
		return Page{}, err
	} else {
		problem = unused(a.Problems)
	}
	a.Problems = nil // shown above the page
	v, err := p.pageView(ctx, a)
	v.page.Problem = problem
	return Page{Sentence: boldNumbers(a.Sentence), Problem: problem, Presents: st.Present, View: v.page}, err
}

// Live shows the state of a query as JSON. With parts=1 it contains the parts of the page that differ from those
// the query lists; the points are left out if the client has them.
func (p *Playground) Live(ctx context.Context, q url.Values) (*Answer, error) {
	st, bad := parse(q)
	a, err := p.show(ctx, st, bad)
	if err != nil {
		return nil, err
	}
	if q.Get("have") == a.Hash {
		a.Points = nil
	}
	if q.Get("parts") == "1" {
		return p.parts(ctx, a, q)
	}
	return a, nil
}

// unfitted is the answer where nothing can be fitted. Points placed by hand are included, so that the user can add
// to them.
func unfitted(st state) *Answer {
	a := &Answer{st: st, Sentence: "These points cannot be fitted.", Answer: live.Answer{URL: st.url(), MS: new(float64)}}
	a.Axes = axes{X: axis{-2, 2, "x1"}, Y: axis{-2, 2, "x2"}}
	p := &pointSet{Classes: []string{"0", "1", "2", "3", "4"}}
	if st.Data == userPoints {
		for _, o := range st.UserPoints {
			p.X, p.Y, p.Class = append(p.X, o.X), append(p.Y, o.Y), append(p.Class, o.Class)
		}
	}
	p.Given, p.Flipped, p.Test = p.Class, make([]bool, len(p.Class)), make([]bool, len(p.Class))
	a.Points = p
	return a
}

// problemOf is the message of an error.
func problemOf(e *usererr.Error) string {
	if len(e.Fields) > 0 {
		return worded(e.Fields[0])
	}
	return e.Detail
}

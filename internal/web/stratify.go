package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

const (
	pageGrace  = 15 * time.Second // for a page to ask for its events
	eventGrace = 5 * time.Second  // for a page that is being reloaded
)

// steering is one request about a state of /stratify/{dataset}.
type steering struct {
	s   *Server
	c   echo.Context
	d   store.Dataset
	t   *table.Table
	st  stratify.State
	bad []usererr.Field // what was wrong with the query

	lacking string // why the data's own outcome does not do

	answer *templates.WhatIfAnswer // for one row, when it was asked for
	sent   url.Values              // that row
}

// steer reads the dataset and the state. A nil table says that the dataset is
// a draft.
func (s *Server) steer(c echo.Context, q url.Values) (*steering, error) {
	ctx := c.Request().Context()
	d, err := s.db.Dataset(ctx, c.Param("id"))
	if err != nil {
		return nil, err
	}
	x := &steering{s: s, c: c, d: d}
	x.st, x.bad = stratify.Parse(q, d)
	if d.State == store.Draft {
		return x, nil
	}
	if x.t, err = s.datasets.Table(ctx, d); err != nil {
		return nil, err
	}
	if slices.Equal(x.st.Predictors, datasets.Predictors(d, x.t)) {
		x.st.Predictors = nil
	}
	x.tidySplines()
	return x, nil
}

// usable reports whether there is an outcome and an event to stratify by, or
// the address asks for one.
func (x *steering) usable() bool {
	return x.st.Outcome != "" && (len(x.st.Positive) > 0 || x.c.QueryParams().Has("outcome"))
}

// unchosen reports an error that says that the data's own choice of an outcome
// does not do: nothing that the address asked for.
func (x *steering) unchosen(e *usererr.Error) bool {
	q := x.c.QueryParams()
	for _, f := range e.Fields {
		switch f.Field {
		case "outcome", "positive", "negative":
			if !q.Has("outcome") && !q.Has("positive") && !q.Has("negative") {
				return true
			}
		}
	}
	return false
}

// spec is the validated spec of the state.
func (x *steering) spec() (engine.Spec, error) {
	spec := x.st.Spec(0)
	return spec, spec.Validate(x.t)
}

// stratifyPage answers GET /stratify/{dataset}: the state of its query, or
// progress where that takes long.
func (s *Server) stratifyPage(c echo.Context) error {
	q := c.QueryParams()
	if stratify.HasClasses(q) {
		return s.severalPage(c)
	}
	if q.Has("base") || q.Has("was") { // from a form, without scripts
		return s.tidyURL(c, q)
	}
	x, err := s.steer(c, q)
	if err != nil {
		return err
	}
	switch {
	case x.t == nil:
		return c.Redirect(http.StatusSeeOther, "/data/"+x.d.ID)
	case len(x.bad) > 0 && wantsJSON(c):
		return form.Error(x.bad)
	case !x.usable():
		return x.show(http.StatusOK, nil, nil)
	}
	spec, err := x.spec()
	if err != nil {
		return x.failed(err)
	}
	if x.st.Hold {
		return x.show(x.status(), nil, nil)
	}
	r, f, err := x.result(spec, s.live.patience)
	switch {
	case err != nil:
		return x.failed(err)
	case f != nil:
		return x.show(x.status(), nil, f)
	}
	return x.show(x.status(), r, nil)
}

// tidyURL leads from what a form sent to the address of that state.
func (s *Server) tidyURL(c echo.Context, q url.Values) error {
	q = form.Fractions(q)
	if base := q.Get("base"); base != "" || !q.Has("was") {
		inner, err := url.ParseQuery(base)
		if err != nil {
			return usererr.BadField("base", "is no query")
		}
		inner["x"], inner["spline"] = q["x"], q["spline"]
		q = inner
	}
	x, err := s.steer(c, q)
	if err != nil {
		return err
	}
	if len(x.bad) > 0 && wantsJSON(c) {
		return form.Error(x.bad)
	}
	to := x.st.URL()
	for _, f := range x.bad { // the page says what it could not use
		if f.Field != "template" && q.Has(f.Field) && f.Field != "pi" {
			to = withKey(to, f.Field, q.Get(f.Field))
		} else if f.Field == "pi" {
			to = withKey(to, "pi", strings.Join(q["pi"], ","))
		}
	}
	return c.Redirect(http.StatusSeeOther, to)
}

func withKey(to, key, value string) string {
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return to + sep + key + "=" + strings.ReplaceAll(url.QueryEscape(value), "%2C", ",")
}

// status is that of a page whose query was partly unusable.
func (x *steering) status() int {
	if len(x.bad) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// result computes the spec; a computation instead of a result says that it takes
// longer than the wait and goes on for a while without this request.
func (x *steering) result(spec engine.Spec, wait time.Duration) (*engine.Result, *computation, error) {
	l := x.s.live
	r, f, err := l.start(x.d, spec)
	if err != nil || f == nil {
		return r, nil, err
	}
	r, late, err := f.wait(x.c.Request().Context(), wait)
	if late {
		l.leave(f, pageGrace)
		return nil, f, nil
	}
	l.leave(f, 0)
	return r, nil, err
}

// failed shows a user's mistake beside the controls; everything else goes the
// way of every error.
func (x *steering) failed(err error) error {
	e, ok := usererr.As(err)
	if !ok || wantsJSON(x.c) || e.Code != usererr.Invalid {
		return err
	}
	if x.unchosen(e) {
		x.st.Positive, x.lacking = nil, e.Detail
		return x.show(http.StatusOK, nil, nil)
	}
	x.bad = append(x.bad, e.Fields...)
	return x.showProblem(e.Detail)
}

package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/live"
	"taper/internal/web/page/stratify"
	"taper/internal/web/progress"
	"taper/web/templates"
)

// flips reads a state of the page of label flips, with its two results; both are nil while one of them takes longer
// than patience.
func (s *Server) flips(c echo.Context, patience time.Duration) (p *stratify.Page, of [2]*engine.Result,
	under *app.Computation, err error) {
	q := form.Fractions(c.QueryParams())
	if !q.Has("noise") {
		q.Set("noise", synth.NoiseRandom)
	}
	p, d, err := s.stratified(c, q)
	switch {
	case err != nil:
		return nil, of, nil, err
	case p == nil || !p.Usable() || p.State.Task != "":
		return nil, of, nil, usererr.New(usererr.Conflict,
			"Label flips are shown in risk bands: choose an outcome and its event on the page of the data first.")
	case len(p.Bad) > 0:
		return nil, of, nil, form.Error(p.Bad)
	}
	p = p.WithFlips()
	specs, err := p.FlipSpecs()
	if err != nil {
		return nil, of, nil, err
	}
	of, under, err = s.bothOf(c.Request().Context(), d, specs, patience)
	return p, of, under, err
}

// drawPatience is how long one fit of another draw may take; all of them are answered in one request.
const drawPatience = 2 * time.Second

// flipDraws answers GET /stratify/{dataset}/flips/draws: how the effect varies between draws of the noise.
func (s *Server) flipDraws(c echo.Context) error {
	p, of, under, err := s.flips(c, s.app.Computations.Patience)
	if err != nil {
		return err
	}
	var drawn []stratify.Drawn
	if under == nil {
		specs, err := p.DrawSpecs()
		if err != nil {
			return err
		}
		for _, spec := range specs {
			r, slow, err := s.app.Computations.Result(c.Request().Context(), p.State.Dataset, spec, drawPatience)
			if err != nil {
				return err
			}
			if slow != nil {
				break
			}
			drawn = append(drawn, stratify.DrawnBy(of[0], r))
		}
	}
	a, err := p.FlipsDrawn(c.Request().Context(), of[0], drawn)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

func (s *Server) bothOf(ctx context.Context, d store.Dataset, specs [2]runspec.Spec,
	patience time.Duration) (of [2]*engine.Result, under *app.Computation, err error) {
	for i, spec := range specs {
		if of[i], under, err = s.app.Computations.Result(ctx, d, spec, patience); err != nil || under != nil {
			return [2]*engine.Result{}, under, err
		}
	}
	return of, nil, nil
}

// flipsPage answers GET /stratify/{dataset}/flips: it compares the strata of a state with those after label noise.
// Nothing is saved.
func (s *Server) flipsPage(c echo.Context) error {
	if q := c.QueryParams(); q.Has("was") { // from the form of /stratify
		p, _, err := s.stratified(c, form.Fractions(q))
		if err != nil {
			return err
		}
		if p != nil && p.State.Task == "" {
			return c.Redirect(http.StatusSeeOther, p.State.FlipsURL())
		}
	}
	p, of, under, err := s.flips(c, s.app.Computations.Patience)
	if err != nil {
		return err
	}
	v, d := p.Flips(of), p.State.Dataset
	if under != nil {
		httpio.Passing(c)
		e := s.app.Computations.Follow(under)
		v.Strong, v.Rest = "Fitting.", "The two tables appear when the folds are done."
		v.Progress = &templates.Progress{Job: e.ID, Step: "Preparing the folds",
			Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/stratify/" + d.ID + "/cancel",
				Fields: []templates.Field{{Name: "job", Value: e.ID}, {Name: "back", Value: v.Back}}}}
		progress.Show(v.Progress, e)
	} else if v.Stamps, err = p.FlipStamps(c.Request().Context(), v); err != nil {
		return err
	}
	page := s.page(c, "What label flips do to the bands")
	page.Crumbs = []templates.Link{{Label: "Data", URL: "/data"}, {Label: d.Name, URL: "/data/" + d.ID},
		{Label: "stratify", URL: v.Back}, {Label: "label flips"}}
	page.Result = templates.Sentence(v.Strong, v.Rest)
	if page.Scene = p.Presents(); !page.Scene {
		page.Actions = templates.FlipActions(v)
	}
	return s.render(c, http.StatusOK, templates.FlipsPage(page, v))
}

// flipsLive answers GET /stratify/{dataset}/flips/live: a change of the noise.
func (s *Server) flipsLive(c echo.Context) error {
	started := s.now()
	p, of, under, err := s.flips(c, s.app.Computations.Patience)
	switch {
	case err != nil:
		return err
	case under != nil:
		return c.JSON(http.StatusOK, live.Answer{Go: p.FlipsAddress()})
	}
	a, err := p.FlipsLive(c.Request().Context(), of)
	if err != nil {
		return err
	}
	ms := float64(s.now().Sub(started).Microseconds()) / 1000
	a.MS = &ms
	return c.JSON(http.StatusOK, a)
}

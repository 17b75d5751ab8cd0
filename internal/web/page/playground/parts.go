package playground

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"taper/internal/web/live"
	"taper/web/templates"
)

// lean removes the numbers that the page shows as figures and tables.
func (a *Answer) lean() *Answer {
	out := *a
	out.Table, out.Times, out.Problems = textTable{}, textTable{}, nil
	slim := func(m *modelView) *modelView {
		if m == nil {
			return nil
		}
		return &modelView{Title: m.Title, Error: m.Error, Surface: m.Surface, MS: m.MS,
			Histogram: histogram{Bin: m.Histogram.Bin}, Steps: steps{Of: m.Steps.Of, At: m.Steps.At}}
	}
	out.Models = pair{slim(a.Models.A), slim(a.Models.B)}
	return &out
}

// parts adds to an answer the parts of the page that differ, by the stamps of the parts that the client has:
// figures, tables and texts; controls if others are needed; and the list of points when nothing is dragged.
func (p *Playground) parts(ctx context.Context, a *Answer, q url.Values) (*Answer, error) {
	v, err := p.pictures(ctx, a, q)
	if err != nil {
		return nil, err
	}
	out := a.lean()
	out.Keep, out.Sliders = map[string]string{"form": formText(v.ask.formKeys())}, v.ask.sliders()
	if moving(q) { // other controls would replace the slider in the hand; its release brings them
		out.Keep["form"] = q.Get("form")
	} else {
		others, err := p.otherControls(ctx, v, a, q)
		if err != nil {
			return nil, err
		}
		if err := out.Add(ctx, live.Want{}, others); err != nil {
			return nil, err
		}
	}
	want := live.ReadWant(q)
	if err := out.Add(ctx, want, v.shows(a, q)); err != nil {
		return nil, err
	}
	for k, m := range []*modelView{out.Models.A, out.Models.B} {
		id := "raster-" + slots[k][:1]
		if m == nil {
			continue
		}
		if m.Surface.Levels != nil && !out.Lacks(want, id, string(m.Surface.Levels)) {
			m.Surface.Levels, m.Surface.Same = nil, true
		}
	}
	return out, nil
}

// moving reports whether a slider is moved and not yet released.
func moving(q url.Values) bool { return q.Has("held") }

// shows are the parts without controls.
func (v pageView) shows(a *Answer, q url.Values) map[string]templ.Component {
	p := v.page
	parts := map[string]templ.Component{
		"result": boldNumbers(a.Sentence), "pg-key": templates.PlayKey(p), "pg-warn": templates.PlayWarnings(p.Warn),
		"pg-table": templates.TableView(p.Table), "pg-save-note": templates.Text(p.SaveNote),
	}
	// The list of points has 1,600 elements and is below the fold, so it is sent on release only.
	if a.st.Data != userPoints && !moving(q) {
		parts["pg-points"] = templates.PlayPointsView(pointsView(a))
	}
	if p.Steps != nil {
		parts["pg-step-word"] = templates.Text(p.Steps.Word)
	}
	for _, m := range p.Models {
		id := "pg-" + m.ID
		parts[id+"-title"], parts[id+"-chips"] = templates.PlayTitle(m), templates.PlayChips(m.Chips)
		parts[m.Picture.ID+"-say"], parts[m.Picture.ID+"-over"] = templates.Text(m.Picture.Finding),
			templates.Draw(m.Picture.Over)
		if a.st.Present {
			parts[id+"-score"] = templates.PlayScore(m)
		}
		parts[id+"-lossbox"], parts[id+"-weightbox"] = templates.PlayFigureView(m.Loss), templates.PlayFigureView(m.Weights)
		if m.Picture.Open {
			parts[m.Picture.ID+"-grid"] = templates.TableView(m.Picture.Grid)
		}
	}
	return parts
}

// otherControls are the controls that the page does not have. Stamps do not count here, since the browser may have
// changed values of controls.
func (p *Playground) otherControls(ctx context.Context, v pageView, a *Answer,
	q url.Values) (map[string]templ.Component, error) {
	parts := map[string]templ.Component{}
	if v.page.Present {
		return parts, nil
	}
	before, now := formOfText(q.Get("form")), v.ask.formKeys()
	for _, m := range v.page.Models {
		if before[m.ID] != now[m.ID] {
			parts["pg-"+m.ID+"-par"], parts["pg-"+m.ID+"-methods"] = templates.PlayPars(m), templates.PlayMethods(m)
		}
	}
	if before["shared"] != now["shared"] {
		parts["pg-shared"] = templates.PlayShared(v.ask.shared())
	}
	if before["side"] != now["side"] {
		if err := p.offer(ctx, &v.ask); err != nil {
			return nil, err
		}
		parts["pg-side"] = templates.PlaySide(v.ask.groups())
	}
	if before["points"] != now["points"] { // otherwise the class chosen for new points stays
		points := pointsView(a)
		parts["pg-points"], parts["pg-adds"] = templates.PlayPointsView(points), templates.PlayAdds(points)
	}
	return parts, nil
}

package stratify

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/live"
	"taper/internal/web/progress"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// content is the page around its result, which may be nil.
func (p *Page) content(r *engine.Result) templates.Stratify {
	v := templates.Stratify{Title: p.title(), URL: p.at(), Label: "Boundaries and fit", Panel: p.panel(r)}
	if p.State.Task != "" {
		v.Label = "Classes and fit"
	}
	return v
}

// WhatIf is one row that was asked about, and what the model says of it.
type WhatIf struct {
	Sent   url.Values
	Answer *templates.WhatIfAnswer
}

// Found is the page of a state with its result.
func (p *Page) Found(ctx context.Context, r *engine.Result, of *WhatIf) (templates.Stratify, error) {
	v := p.content(r)
	on := p.bands(r)
	if of != nil {
		on.Sent, on.Answer = of.Sent, of.Answer
	}
	err := p.show(&v, on, p.State.Spec(len(p.levels)))
	if err != nil {
		return v, err
	}
	if p.State.Task == "" {
		v.Keep = live.PageFields(map[string]string{"held": heldText(r), "axes": axesText(v.Places)})
	}
	v.Stamps, err = live.Stamps(ctx, v.Parts(), v.Places)
	return v, err
}

// show takes a result into the page, in bands as on says.
func (p *Page) show(v *templates.Stratify, on resultview.Bands, spec runspec.Spec) error {
	var res resultview.View
	var sections []doc.Section
	if p.State.Task == "" {
		var err error
		on.Spec = spec
		if res, err = on.View(); err != nil {
			return err
		}
		sections = res.Sections
	} else {
		res = resultview.Classes{Result: on.Result, Spec: spec}.View()
		all := doc.Group{ID: "r-classes", Class: "stack"} // which changes as a whole
		for _, s := range res.Sections {
			all.Body = append(all.Body, s)
		}
		sections = []doc.Section{{Body: doc.Nodes{all}}}
	}
	v.Sections, v.Strong, v.Rest, v.Open = render.Sections(sections), res.Strong, res.Rest, res.Open
	if on.Result.Optimistic { // a saved run chooses λ and γ inside each fold, and may count other rows
		v.Rest += " Before validation."
	}
	v.Changing, v.Places = render.LiveParts(sections)
	return nil
}

// bands is the result in bands, whose links lead to other states of the page.
func (p *Page) bands(r *engine.Result) resultview.Bands {
	st := p.State
	score := st
	score.Band, score.Page = -1, 1
	return resultview.Bands{
		Result: r, Band: st.Band, Page: st.Page,
		Rows: func() ([]engine.RowScore, error) { return r.Rows, nil },
		List: func(band, page int) string {
			to := st
			to.Band, to.Page = band, page
			return to.URL()
		},
		Cut: p.cutURL, Leave: p.leaveURL,
		Curves: resultview.Curves{Result: r,
			Without: "The bootstrap of a saved run gives the curves their bands."}.Nodes(),
		WhatIf: p.at() + "/score" + score.Query(),
	}
}

// leaveURL is the state without a predictor, "" where it is none or the only one.
func (p *Page) leaveURL(column string) string {
	chosen := slices.Clone(p.chosen())
	at := slices.Index(chosen, column)
	if at < 0 || len(chosen) < 2 {
		return ""
	}
	to := p.State.WithoutSpline(column)
	to.Predictors, to.Page = slices.Delete(chosen, at, at+1), 1
	return to.URL()
}

// Waiting is the page while its result is computed, with how far that is.
func (p *Page) Waiting(e job.Event) templates.Stratify {
	v, st := p.content(nil), p.State
	back := "/data/" + st.Dataset.ID
	v.Strong, v.Rest = "Fitting.", "The result appears when the folds are done."
	if st.Task == "" {
		v.Strong = "Fitting " + phrase.Count(len(st.Pi)+1, "band") + "."
		held := st
		held.Hold = true
		back = held.URL()
		if iv, err := loss.NewInterval(st.Pi); err == nil && banded(st.Method.ID) {
			v.Early = []templates.Chart{control.Figure(viz.Surrogate(iv))}
		}
	}
	v.Progress = &templates.Progress{Job: e.ID, Step: "Preparing the folds",
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: p.at() + "/cancel",
			Fields: []templates.Field{{Name: "job", Value: e.ID}, {Name: "back", Value: back}}}}
	progress.Show(v.Progress, e)
	return v
}

// Unfitted is the page where nothing is computed: there is no outcome yet, or the
// fit was cancelled.
func (p *Page) Unfitted() templates.Stratify {
	v, st := p.content(nil), p.State
	if p.Usable() {
		st.Hold = false
		v.Empty = &templates.Empty{Title: "Nothing is computed",
			Text:    "The fit was cancelled. Change the controls, or fit this state after all.",
			Buttons: []templates.Button{{Label: "Fit these bands", URL: st.URL(), Icon: "go", Kind: "1"}}}
		return v
	}
	title, button := "Which column is the outcome?", "Choose the outcome"
	text := "Nobody has said it yet, and nothing is computed on a guess. Choose it on the page of the data; the bands " +
		"appear here."
	if p.lacking != "" {
		text = phrase.UpperFirst(p.lacking) + " Choose it on the page of the data; the bands appear here."
	} else if st.Outcome != "" {
		title, button = "Which value of "+st.Outcome+" is the event?", "Choose the event"
	}
	v.Empty = &templates.Empty{Title: title, Text: text,
		Buttons: []templates.Button{{Label: button, URL: "/data/" + st.Dataset.ID + "#outcome", Icon: "go", Kind: "1"}}}
	return v
}

// Refused is the page where the state cannot be fitted. Where nobody chose what is
// wrong with the outcome, the data's own choice does not do: then it is to be chosen,
// and ok.
func (p *Page) Refused(e *usererr.Error) (v templates.Stratify, ok bool) {
	chosen := p.query.Has("outcome") || p.query.Has("positive") || p.query.Has("negative")
	if p.State.Task == "" && !chosen && slices.ContainsFunc(e.Fields, func(f usererr.Field) bool {
		return slices.Contains([]string{"outcome", "positive", "negative"}, f.Field)
	}) {
		p.State.Positive, p.lacking = nil, e.Detail
		return p.Unfitted(), true
	}
	if p.State.Task == "" { // whose controls have places for it
		p.Bad = append(p.Bad, e.Fields...)
	}
	v = p.content(nil)
	v.Problem = e.Detail
	start := p.at()
	if p.State.Task != "" {
		start += "?task=" + p.State.Task
	}
	v.Empty = &templates.Empty{Title: "These choices cannot be fitted",
		Text: "Change them here, or the outcome and the roles of the columns on the page of the data.",
		Buttons: []templates.Button{{Label: "Open the data", URL: "/data/" + p.State.Dataset.ID, Icon: "table"},
			{Label: "Start from the defaults", URL: start, Icon: "reset"}}}
	return v, false
}

// Live answers a move of the controls with what of the page differs. While something
// is dragged, λ stays what it was ("held"), and spec has it.
func (p *Page) Live(ctx context.Context, r *engine.Result, spec runspec.Spec) (live.Answer, error) {
	want := live.ReadWant(p.query, "r-how", "r-open", "r-doubts", "r-predictors", "r-whatif", "r-rows")
	v := p.content(r)
	on := p.bands(r)
	on.Axes, on.Want = parseAxes(p.query.Get("axes")), want.Seen
	if err := p.show(&v, on, spec); err != nil {
		return live.Answer{}, err
	}
	a := live.Answer{URL: p.State.URL(), Sliders: p.sliders(r, v.Panel), Keep: map[string]string{}}
	if p.State.Task == "" {
		if !want.Dragging() {
			a.Keep["axes"] = axesText(v.Places)
		}
		if spec.Model.Tuned() || !p.State.Tuned() {
			a.Keep["held"] = heldText(r)
		} else {
			v.Panel.How = howChoice(p.State, nil)
		}
	}
	parts := v.Parts()
	if p.query.Get("panel") == "1" {
		var controls strings.Builder // whatever its stamp: the browser has set values in it itself
		if err := templates.PanelView(v.Panel).Render(ctx, &controls); err != nil {
			return a, err
		}
		a.Parts = map[string]string{"controls": controls.String()}
		a.Stamps = map[string]string{}
		for _, id := range []string{"r-template", "r-strip", "r-how", "r-noise", "r-took"} { // stand in it
			delete(parts, id)
			a.Stamps[id] = ""
		}
	}
	if err := a.Add(ctx, want, parts); err != nil {
		return a, err
	}
	return a, a.AddFigures(ctx, want, v.Places)
}

// sliders are updated in place.
func (p *Page) sliders(r *engine.Result, panel templates.Panel) map[string]live.Slider {
	moved := panel.Noise.Rates
	if panel.Bands != nil {
		moved = slices.Concat(panel.Bands.Boundaries, moved)
	}
	all := map[string]live.Slider{}
	for _, s := range moved {
		all[s.ID] = live.SliderOf(s)
	}
	lambda := live.Slider{Spoken: panel.Lambda.Spoken}
	if p.State.L2.Tuned() && r.L2 > 0 {
		lambda.Value = L2Text(fit.L2{Value: r.L2})
	}
	all["lambda"] = lambda
	return all
}

// Held is the model with what a drag holds in place of what is tuned, if it holds it.
func (p *Page) Held() (fit.Spec, bool) {
	m := p.State.Model()
	if p.State.Task != "" || !p.query.Has("drag") || !p.query.Has("held") || !p.State.Tuned() {
		return m, false
	}
	l2, gamma, _ := strings.Cut(p.query.Get("held"), "~")
	if p.State.L2.Tuned() {
		of, bad := Parse(url.Values{"l2": {l2}}, p.State.Dataset)
		if len(bad) > 0 || of.L2.Tuned() {
			return m, false
		}
		m.L2 = of.L2
	}
	if m.GammaTuned() {
		v, err := strconv.ParseFloat(gamma, 64)
		if err != nil || !(v > 0 && v <= math.MaxFloat64) {
			return m, false
		}
		k := *m.Kernel
		k.Gamma = v
		m.Kernel = &k
	}
	return m, true
}

// heldText is what a drag holds: λ, and after a ~ the γ of a kernel.
func heldText(r *engine.Result) string {
	text := L2Text(fit.L2{Value: r.L2})
	if r.Kernel != nil && r.Kernel.Gamma != nil {
		text += "~" + strconv.FormatFloat(*r.Kernel.Gamma, 'g', -1, 64)
	}
	return text
}

// axesText are the ends of the axes as the charts were drawn, so that the next
// request can keep them: density x, density y, scatter x, scatter y.
func axesText(figures []templates.Slot) string {
	var ends []string
	for _, f := range figures {
		if f.ID != "fig-density" && f.ID != "fig-scatter" {
			continue
		}
		var o struct {
			XAxis, YAxis []struct{ Min, Max float64 }
		}
		if json.Unmarshal(f.Chart.Option, &o) != nil || len(o.XAxis) == 0 || len(o.YAxis) == 0 {
			return ""
		}
		for _, v := range []float64{o.XAxis[0].Min, o.XAxis[0].Max, o.YAxis[0].Min, o.YAxis[0].Max} {
			ends = append(ends, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return strings.Join(ends, ",")
}

// parseAxes reads axesText; anything else leaves the axes to the data.
func parseAxes(text string) resultview.Axes {
	var v []float64
	for _, t := range strings.Split(text, ",") {
		f, err := strconv.ParseFloat(t, 64)
		if err != nil || !(f > -1e12 && f < 1e12) {
			return resultview.Axes{}
		}
		v = append(v, f)
	}
	if len(v) != 8 || slices.Contains([]bool{v[0] < v[1], v[2] < v[3], v[4] < v[5], v[6] < v[7]}, false) {
		return resultview.Axes{}
	}
	return resultview.Axes{Density: viz.Axes{X: [2]float64{v[0], v[1]}, Y: [2]float64{v[2], v[3]}},
		PCA: viz.Axes{X: [2]float64{v[4], v[5]}, Y: [2]float64{v[6], v[7]}}}
}

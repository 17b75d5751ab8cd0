package stratify

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/internal/web/progress"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// content is the page with its result, which may be nil.
func (p *Page) content(r *engine.Result) templates.Stratify {
	v := templates.Stratify{Title: p.title(), URL: p.at(), Label: "Boundaries and fit", Panel: p.panel(r),
		// Other fields have their message where they are set.
		Problem: strings.TrimSpace(p.problem("pi") + " " + p.problem("mode") + " " + p.problem("boundaries"))}
	v.Validates = p.State.validates()
	if p.State.Task != "" {
		v.Label = "Classes and fit"
	}
	return v
}

// WhatIf is one patient entered on the page, with the prediction.
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
		v.Keep = live.PageFields(map[string]string{"held": heldText(r), "axes": p.axesText(v.Places)})
	}
	v.Stamps, err = live.Stamps(ctx, v.Parts(), v.Places)
	return v, err
}

// show adds a result to the page, in bands as given by on.
func (p *Page) show(v *templates.Stratify, on resultview.Bands, spec runspec.Spec) error {
	var res resultview.View
	if p.State.Task == "" {
		var err error
		on.Spec = spec
		if res, err = on.View(); err != nil {
			return err
		}
	} else {
		res = resultview.Classes{Result: on.Result, Spec: spec}.View()
		group := func(id string, all []doc.Section) doc.Section { // which is replaced as a whole
			body := make(doc.Nodes, len(all))
			for i, s := range all {
				body[i] = s
			}
			return doc.Section{Body: doc.Nodes{doc.Group{ID: id, Class: "stack", Body: body}}}
		}
		res.Sections = []doc.Section{group("r-answers", res.Sections[:1]), group("r-classes", res.Sections[1:])}
		for i, d := range res.Details {
			res.Details[i].Body = doc.Nodes{doc.Group{ID: "r-" + d.ID, Class: "stack", Body: d.Body}}
		}
	}
	v.Lead, v.Sections = render.Sections(res.Sections[:1]), render.Sections(res.Sections[1:])
	v.Below = render.Sections(res.Below)
	v.Strong, v.Rest, v.Open, v.Extent = res.Strong, res.Rest, res.Open, p.extent(on.Result)
	if on.Result.Optimistic { // a saved run chooses λ and γ inside each fold, so its counts may differ
		v.Rest += " These figures are slightly optimistic."
	}
	v.Changing, v.Places = render.LiveParts(slices.Concat(res.Sections, res.Details, res.Below))
	v.Changing["r-validates"] = templates.Words("(" + v.Validates + ")")
	for _, d := range res.Details { // the name of a detail can depend on the result
		v.Changing[tabID(d)+"-name"] = templates.Words(d.Title)
	}
	if !p.lean {
		v.Details = p.details(res.Details)
		query := p.State.Query()
		v.Files = [2]string{p.at() + "/rows.csv" + query, p.at() + "/model.json" + query}
	}
	return nil
}

// Moving reports whether a slider moves.
func (p *Page) Moving() bool { return p.query.Has("drag") }

func tabID(d doc.Section) string { return "tab-" + d.ID }

// details are tabs; the state names the open one.
func (p *Page) details(all []doc.Section) (out []templates.Detail) {
	open := max(0, slices.IndexFunc(all, func(d doc.Section) bool { return d.ID == p.State.Tab }))
	for i, d := range all {
		to := p.State
		if to.Tab = d.ID; i == 0 {
			to.Tab = ""
		}
		out = append(out, templates.Detail{ID: tabID(d), Tab: to.Tab, Label: d.Title, URL: to.URL() + "#details",
			On: i == open, Parts: render.Parts(d.Body)})
	}
	return out
}

// bands is the result in bands, with links to other states of the page.
func (p *Page) bands(r *engine.Result) resultview.Bands {
	st := p.State
	score := st
	score.Band, score.Page = -1, 1
	if _, held := p.Held(); held { // the λ that a drag keeps was chosen on the same folds
		kept := *r
		kept.Optimistic, r = true, &kept
	}
	refits := 0
	if r.Refittable() {
		refits = engine.LiveRefits
	}
	return resultview.Bands{
		Result: r, Refits: refits, Unrefitted: refits == 0 && r.Given == nil && !r.NoPredictor,
		ByHand: r.Given == nil && !st.Tuned() && st.Model().Penalised(),
		Band:   st.Band, Page: st.Page,
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

// leaveURL is the address of the state without a predictor, "" where the column is none or the only one.
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

// Waiting is the page while its result is computed, with the progress.
func (p *Page) Waiting(e job.Event) templates.Stratify {
	v, st := p.content(nil), p.State
	back := "/data/" + st.Dataset.ID
	v.Strong, v.Rest = "Fitting.", p.State.resultAppears()
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

// Unfitted is the page without a result: there is no outcome yet, or the fit was cancelled.
func (p *Page) Unfitted() templates.Stratify {
	v, st := p.content(nil), p.State
	if p.Usable() {
		st.Hold = false
		v.Empty = &templates.Empty{Title: "Nothing is computed",
			Text:    "The fit was cancelled. Change the controls, or fit this state after all.",
			Buttons: []templates.Button{{Label: "Fit these bands", URL: st.URL(), Icon: "go", Kind: "1"}}}
		return v
	}
	v.Alone = true
	title, button := "Which column is the outcome?", "Choose the outcome"
	text := "It has not been chosen yet, and nothing is computed on a guess. Choose it on the page of the data; the " +
		"bands then appear here."
	switch {
	case st.Outcome == "":
	case p.lacking.Field == "outcome":
		text = phrase.UpperFirst(usererr.Sentences([]usererr.Field{p.lacking})) + " Choose another column on the page " +
			"of the data; the bands then appear here."
	case p.lacking.Field == "negative":
		title, button = "Which values of "+st.Outcome+" are non-events?", "Choose the non-events"
		text = "Several values besides the event remain. " + text
	default:
		title, button = "Which value of "+st.Outcome+" is the event?", "Choose the event"
	}
	v.Empty = &templates.Empty{Title: title, Text: text,
		Buttons: []templates.Button{{Label: button, URL: "/data/" + st.Dataset.ID + "#outcome", Icon: "go", Kind: "1"}}}
	if p.events != nil {
		v.Empty.Text = "Risk bands are those of one event against all other values. Choose the event, or a task without one."
		v.Empty.Buttons = nil
		for _, level := range p.events {
			to := st
			to.Positive = table.Levels{level}
			to.Negative = slices.DeleteFunc(slices.Clone(table.Levels(p.events)), func(l string) bool { return l == level })
			v.Empty.Buttons = append(v.Empty.Buttons, templates.Button{Label: "Event: " + phrase.Shorten(level, 40),
				URL: to.URL()})
		}
	}
	for _, o := range p.taskChoice().Options {
		if o.Value != bandsTask && st.Outcome != "" { // these need no event
			to := st
			to.Task = o.Value
			v.Empty.Buttons = append(v.Empty.Buttons, templates.Button{Label: o.Label, URL: to.URL()})
		}
	}
	return v
}

// Refused is the page of a state that cannot be fitted. If the cause is the outcome and no user chose it, the page
// asks for one and ok is true.
func (p *Page) Refused(e *usererr.Error) (v templates.Stratify, ok bool) {
	names := func(all ...string) bool {
		return slices.ContainsFunc(e.Fields, func(f usererr.Field) bool { return slices.Contains(all, f.Field) })
	}
	if col := p.table.Column(p.State.Outcome); p.State.Task == "" && len(p.State.Positive) == 0 && names("positive") &&
		col != nil && len(col.Levels) > 2 && len(col.Levels) <= mostOrdered {
		p.events = col.Levels
		return p.Unfitted(), true
	}
	chosen := p.query.Has("outcome") || p.query.Has("positive") || p.query.Has("negative")
	lacks := slices.IndexFunc(e.Fields, func(f usererr.Field) bool {
		return slices.Contains([]string{"outcome", "positive", "negative"}, f.Field)
	})
	if p.State.Task == "" && !chosen && lacks >= 0 {
		p.State.Positive, p.lacking = nil, e.Fields[lacks]
		return p.Unfitted(), true
	}
	if p.State.Task == "" { // bands have places for it at their controls
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

// Live answers a move of the controls with the parts of the page that differ. During a drag λ keeps its value
// (parameter "held"), which spec contains.
func (p *Page) Live(ctx context.Context, r *engine.Result, spec runspec.Spec) (live.Answer, error) {
	want := live.ReadWant(p.query, "r-how", "r-open", "r-doubts", "r-doubts-said", "r-predictors", "r-whatif", "r-rows",
		"r-files")
	p.lean = p.Moving() && p.query.Get("panel") != "1"
	v := p.content(r)
	on := p.bands(r)
	on.Axes, on.Want = p.axes(), want.Seen
	if err := p.show(&v, on, spec); err != nil {
		return live.Answer{}, err
	}
	a := live.Answer{URL: p.State.URL(), Sliders: p.sliders(r, v.Panel), Keep: map[string]string{}}
	if p.State.Task == "" {
		if !want.Dragging() {
			a.Keep["axes"] = p.axesText(v.Places)
		}
		if spec.Model.Tuned() || !p.State.Tuned() {
			a.Keep["held"] = heldText(r)
		} else {
			v.Panel.How = howChoice(p.State, nil)
		}
	}
	parts := v.Parts()
	if p.query.Get("panel") == "1" {
		var controls strings.Builder // always sent: the browser has set values in it
		if err := templates.PanelView(v.Panel).Render(ctx, &controls); err != nil {
			return a, err
		}
		a.Parts = map[string]string{"controls": controls.String()}
		a.Stamps = map[string]string{}
		for _, id := range []string{"r-template", "r-strip", "r-how", "r-noise", "r-took"} { // parts of the controls
			delete(parts, id)
			a.Stamps[id] = ""
		}
	}
	if mark, ok := parts["r-extent"]; ok { // a preview is marked also where its mark is out of sight
		if err := a.Add(ctx, want.Always(), map[string]templ.Component{"r-extent": mark}); err != nil {
			return a, err
		}
		delete(parts, "r-extent")
	}
	if err := a.Add(ctx, want, parts); err != nil {
		return a, err
	}
	return a, a.AddFigures(ctx, want, v.Places)
}

// mostListed bounds the unstable patients listed on the page.
const mostListed = 50

// Changes says how often bootstrap fits assign patients to another band, for the parts of the page that show it.
func Changes(ctx context.Context, s *engine.Stability, pi []float64) (live.Answer, error) {
	share := func(v *float64) templ.Component {
		if v == nil {
			return templates.Words(viz.None)
		}
		return templates.Words(viz.Percent(*v, 1))
	}
	parts := map[string]templ.Component{"changes-all": share(s.Mean)}
	for k, b := range s.Bands {
		parts["changes-"+strconv.Itoa(k)] = share(b.Changed)
	}
	t := doc.Table{Label: "Unstable patients", Class: "tbl-tight", Tall: true, Columns: []doc.Column{
		{Label: "Row"}, {Label: "Band"}, {Label: "In another band", Unit: "% of the refits", Number: true}}}
	names := viz.BandNames(pi)
	for i, u := range s.Listed {
		if i == mostListed {
			t.Note = "The first " + phrase.Int(mostListed) + " of " + phrase.Int(s.Unstable) + "."
			break
		}
		t.Rows = append(t.Rows, doc.TextRow([]string{phrase.Int(u.Row + 1), names[u.Band], viz.Percent(u.Changed, 1)}))
	}
	change := " change band"
	if s.Unstable == 1 {
		change = " changes band"
	}
	parts["changes-say"] = templates.Unstable(phrase.Count(s.Unstable, "patient"), change+" in more than "+
		viz.Percent(s.Limit, 0)+format.Pc+" of "+phrase.Int(engine.LiveRefits)+" bootstrap refits.", render.Table(t))
	a := live.Answer{}
	err := a.Add(ctx, live.Want{}, parts)
	a.Stamps = nil // the request was for all of it
	return a, err
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

// Held is the model with the λ and γ that a drag keeps, in place of tuning; ok says whether the state keeps them.
func (p *Page) Held() (fit.Spec, bool) {
	m := p.State.Model()
	if p.State.Task != "" || !p.Moving() || !p.query.Has("held") || !p.State.Tuned() {
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

// heldText is the value of "held": λ, and after a ~ the γ of a kernel.
func heldText(r *engine.Result) string {
	text := L2Text(fit.L2{Value: r.L2})
	if r.Kernel != nil && r.Kernel.Gamma != nil {
		text += "~" + strconv.FormatFloat(*r.Kernel.Gamma, 'g', -1, 64)
	}
	return text
}

// scale identifies the scale of the scores; the axes are kept as long as it is the same.
func (p *Page) scale() string {
	m := p.State.Method
	return m.ID + "." + m.Kernel.LossID() + "." + m.Kernel.KernelName()
}

// axesText are the scale and the ends of the axes as drawn, so that the next request can keep them: density x,
// density y, scatter x, scatter y.
func (p *Page) axesText(figures []templates.Slot) string {
	ends := []string{p.scale()}
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

// axes are those that a request keeps. If it names another scale, or is not written by axesText, the axes follow
// from the data.
func (p *Page) axes() resultview.Axes {
	scale, text, _ := strings.Cut(p.query.Get("axes"), ",")
	if scale != p.scale() {
		return resultview.Axes{}
	}
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

package playground

import (
	"context"
	"encoding/json"
	"net/url"

	"taper/internal/engine/phrase"
	"taper/internal/web/form"
	"taper/internal/web/live"
	"taper/web/templates"
)

// pageView is a whole page: its pictures with the controls, the list of points and the data for the browser.
func (p *Playground) pageView(ctx context.Context, a *Answer) (pageView, error) {
	v, err := p.pictures(ctx, a, nil)
	if err != nil {
		return v, err
	}
	if err := p.offer(ctx, &v.ask); err != nil {
		return v, err
	}
	st := a.st
	if v.page.Data, err = json.Marshal(a.lean()); err != nil {
		return v, err
	}
	v.page.URL, v.page.Keep = a.URL, live.PageFields(map[string]string{"form": formText(v.ask.formKeys())})
	if v.page.Stamps, err = live.Stamps(ctx, v.shows(a, nil), nil); err != nil {
		return v, err
	}
	v.page.Groups, v.page.Shared, v.page.Points, v.page.Demos = v.ask.groups(), v.ask.shared(), pointsView(a), demos(a.URL)
	v.page.Saves = []templates.Option{{Value: "a", Label: "Model A"}, {Value: "b", Label: "Model B"},
		{Value: "both", Label: "Both"}}
	brush := form.Get(&st, "brush")
	v.page.Hidden = []templates.Field{{Name: brush.Key, Value: brush.Text()}}
	if st.Present {
		v.page.Rate = v.ask.rateSlider("rate")
		v.page.Rate.Label = "Label noise" // here it stands alone, without its kind
		for _, f := range stateFields(st) {
			if f.Name != v.page.Rate.Name {
				v.page.Hidden = append(v.page.Hidden, f)
			}
		}
	}
	v.page.Show, v.page.Leave = presenting(st, true), presenting(st, false)
	for _, p := range form.Pairs(&st) {
		v.page.State = append(v.page.State, templates.Field{Name: p.Key, Value: p.Value})
	}
	return v, nil
}

// pictures are the parts of a page that a move of a slider changes, and what identifies its controls. The query says
// which data tables are open and which axes are fixed.
func (p *Playground) pictures(ctx context.Context, a *Answer, q url.Values) (pageView, error) {
	v := pageView{ask: controls{st: a.st, kind: kindOf(a.st.Data)}}
	if a.bench != nil {
		v.ask.kind, v.ask.note = a.bench.kind(), a.Axes.Note
		if a.bench.corruption.Count > 0 {
			v.ask.corruption = phrase.Int(a.bench.corruption.Count) + " of " +
				phrase.Int(a.bench.corruption.TrainingCount) + " labels flipped. Lower rates flip a subset of these."
		}
		v.ask.plane, v.ask.classes = a.bench.sample.X.Cols == 2, len(a.bench.sample.Levels)
		v.ask.cut, v.ask.across, v.ask.up = a.bench.sample.Columns, a.Axes.X.Name, a.Axes.Y.Name
	}
	if p.Datasets != nil && a.st.dataset() != "" {
		var err error
		if v.ask.columns, err = p.columnsOf(ctx, a.st); err != nil {
			return v, err
		}
	}
	v.page = templates.Play{Present: a.st.Present, Legend: markLegend(a), Bars: colourBars(a), Note: noteOf(a),
		Table: tableView(a), Warn: notices(a), SaveNote: a.st.saveNote(v.ask.kind), Steps: stepSlider(a)}
	want := live.ReadWant(q)
	for k, m := range a.Models.models() {
		v.page.Models = append(v.page.Models, v.model(k, m, a, q, want))
	}
	return v, nil
}

func presenting(st state, on bool) string {
	st.Present = on
	return st.url()
}

// stateFields are hidden fields for the state that has no control; the brush and the step have controls.
func stateFields(st state) []templates.Field {
	var all []templates.Field
	for _, p := range form.Pairs(&st) {
		if p.Key != "brush" && p.Key != "step" {
			all = append(all, templates.Field{Name: p.Key, Value: p.Value})
		}
	}
	return all
}

// mostListed is the number of datasets offered, newest first.
const mostListed = 50

// offer lists the uploaded files that the controls offer as sources of points.
func (p *Playground) offer(ctx context.Context, ask *controls) error {
	if p.Datasets == nil {
		return nil
	}
	all, err := p.Datasets.Recent(ctx, mostListed)
	if err != nil {
		return err
	}
	for _, d := range all {
		if id := datasetPrefix + d.ID; d.Choice.Outcome != "" || id == ask.st.Data {
			ask.datasets = append(ask.datasets, templates.Option{Value: id, Label: d.Name, On: id == ask.st.Data})
		}
	}
	return nil
}

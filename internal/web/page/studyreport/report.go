package studyreport

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/render"
	"taper/web/templates"
)

// View is the page of a study, without what its state adds.
func (v Report) View() templates.Study {
	return templates.Study{Body: v.Body(), Protocol: v.protocol(), Facts: v.Facts,
		Redo: templates.StudyRedo{Say: v.again(), Call: v.call()}}
}

// Own is the page of a user's study; work is its progress.
func (v Report) Own(st store.Study, work *job.Event) templates.Study {
	v.Facts = append(v.SpecFacts(), Facts(st)...)
	p := v.View()
	p.Files = files("/api/v1/studies/"+st.ID, templates.Button{Label: "JSON", Icon: "document",
		URL: "/api/v1/studies/" + st.ID})
	ShowState(st, work, &p)
	if v.Empty() && st.Status != store.Done {
		p.Empty = &templates.Empty{Title: "No numbers yet",
			Text: "The figure appears with the first result and fills in as others finish."}
	}
	return p
}

// OfPreset is the page of a preset with its stored result, if there is one, and its summary.
func (v Report) OfPreset(all *Catalogue, p study.Preset, r stored.Result, ships bool,
	took Took) (templates.Study, templ.Component) {
	v.Facts = append(v.SpecFacts(), templates.Fact{Label: "Time", Value: all.work(took, p)})
	if ships {
		v.Facts = append(v.Facts, StoredFacts(r)...)
		page := v.View()
		page.Files = files(v.path, templates.Button{Label: "JSON", Icon: "download", URL: v.path + "/result.json",
			Dropped: true})
		return page, v.Sentence(store.Done)
	}
	page := v.View()
	page.Empty = &templates.Empty{Title: "Nothing computed yet", Text: "Run it here. Results appear as they finish.",
		Buttons: all.Runs(p)[:1]}
	if all.MeasuresTime(p) {
		return page, templates.Sentence("No result comes with the program:",
			"these numbers are times, which depend on the machine.")
	}
	return page, templates.Sentence("No result comes with the program.", "Run it here.")
}

// files are links to the cells of a study under a path, and to its JSON.
func files(path string, json templates.Button) []templates.Button {
	return []templates.Button{
		{Label: "Cells as CSV", Icon: "download", URL: path + "/cells.csv", Dropped: true},
		{Label: "Every replicate as CSV", Icon: "download", URL: path + "/cells.csv?of=replicates", Dropped: true},
		json,
	}
}

// Body is the part of the page that changes while a study runs.
func (v Report) Body() []templates.Section {
	return render.Sections([]doc.Section{
		{Label: "Figures", Body: v.shown()},
		{ID: "ref", Title: "Reference numbers", Body: v.verdictTable()},
		v.dataSection(),
		{ID: "notes", Title: "What to know", Class: "st-notes", Body: v.allNotes()},
		{ID: "pairs", Title: "Paired differences", Body: v.pairs(), Say: v.pairsSay()},
		{ID: "cells", Title: "All cells", Body: v.cellTable()},
	})
}

// pairsSay says what the paired differences rest on.
func (v Report) pairsSay() string {
	text := "Within a replicate all models share sample, split and noise, so differences are paired. ✓ " +
		"marks the best mean. "
	if v.resplits() {
		return text + "The replicates are divisions of the same rows: their intervals are the Monte Carlo error of the " +
			"mean over divisions of this file, which shrinks with the number of replicates. They say nothing about other " +
			"rows, so there is no test (Nadeau and Bengio 2003)."
	}
	text += "The verdict is based on the interval of the difference; the papers use the " +
		"Wilcoxon signed-rank test, whose p value can lead to another conclusion."
	if v.known && len(v.preset.Data.Own)+len(v.preset.Data.Sets) > 0 {
		text += " On a file the replicates are divisions of the same rows: both take them as independent, as the papers " +
			"do, and say nothing about other rows (Nadeau and Bengio 2003)."
	}
	return text
}

// shown is the drawing of a study, below links to the figure's other panels and to its metrics.
func (v Report) shown() (body []doc.Node) {
	if links := v.panelLinks(); len(links) > 0 {
		body = append(body, doc.Form{View: templates.StudyMetrics(links)})
	}
	if links := v.metricLinks(); len(links) > 1 {
		body = append(body, doc.Form{View: templates.StudyMetrics(links)})
	}
	return append(body, v.drawings()...)
}

// drawings are the figures and the table of a study, none without cells.
func (v Report) drawings() (body []doc.Node) {
	var figures doc.Figures
	reveals := mask.NoCount // simulated rows need no mask
	if v.spec.Dataset.ID != "" {
		reveals = mask.OfRows
	}
	for _, f := range v.figures(v.metric) {
		figures = append(figures, doc.Figure{Chart: &f, Height: "l", Reveals: reveals})
	}
	switch len(figures) {
	case 0:
	case 1:
		body = append(body, figures[0])
	default:
		body = append(body, figures)
	}
	if v.drawing.Kind == study.DrawTable {
		body = append(body, append(v.drawnTable(), v.totals()...)...)
	}
	return body
}

// Empty reports whether a study has nothing to draw yet.
func (v Report) Empty() bool { return len(v.drawings()) == 0 }

// panelLinks link the stored result of a variant of a figure to the others.
func (v Report) panelLinks() (links []templates.View) {
	if v.path != presetPath(v.preset.ID) {
		return nil
	}
	variants := paper.GroupOf(v.preset).Variants
	if len(variants) < 2 {
		return nil
	}
	for _, other := range variants {
		p, _ := paper.Presets.ByID(other.ID)
		links = append(links, templates.View{Label: variantLabel(p, other), URL: presetPath(p.ID), On: p.ID == v.preset.ID})
	}
	return links
}

// variantLabel names a variant of a figure: "Figure 17, clean labels".
func variantLabel(p study.Preset, v paper.Variant) string {
	figure, _, _ := strings.Cut(p.Figure, ", ") // the label contains the panel
	return figure + ", " + v.Label
}

// presetPath is the page of the stored result of a preset.
func presetPath(id string) string { return "/studies/preset/" + id }

func (v Report) metricLinks() []templates.View {
	var links []templates.View
	if v.drawing.Kind == study.DrawScatter && v.drawing.X.Of == "" {
		return nil // both are drawn
	}
	for i, m := range v.drawing.Metrics {
		st := State{Metric: m.ID, Setting: -1, Page: 1} // another metric has its own settings
		if i == 0 {
			st.Metric = ""
		}
		links = append(links, templates.View{Label: m.Title, URL: v.url(st), On: m.ID == v.metric.ID})
	}
	return links
}

// allNotes are the warnings of the cells, the notes of the preset with our figures, then those of the plan.
func (v Report) allNotes() []doc.Node {
	notes := slices.Clone(v.Notes)
	if v.known && len(v.cells) > 0 {
		notes = append(v.preset.NotesOn(v.cells), notes...)
	}
	notes = append(study.Warnings(v.cells), notes...)
	for i := range notes {
		notes[i] = viz.Unbroken(notes[i])
	}
	if len(notes) == 0 {
		return nil
	}
	return []doc.Node{doc.List(notes)}
}

func (v Report) shows(metric string) bool {
	return slices.ContainsFunc(v.drawing.Metrics, func(m study.Metric) bool { return m.ID == metric })
}

func (v Report) metricTitle(id string) string {
	for _, m := range v.drawing.Metrics {
		if m.ID == id {
			return m.Title
		}
	}
	return id
}

// axisTitle is the title that the drawing gives to a part of the key.
func (v Report) axisTitle(of string) string {
	d := v.drawing
	for _, a := range []study.Axis{d.X, d.Series, d.Panels} {
		if a.Of == of {
			return a.Title
		}
	}
	return map[string]string{"at": "at", "noise": "noise", "model": "Model", "data": "Data"}[of]
}

// varies reports whether a part of the key differs between cells.
func (v Report) varies(of string) bool {
	for _, c := range v.cells {
		a, b := c.Key, v.cells[0].Key
		if of == "data" && a.Data != b.Data || of == "model" && a.Model != b.Model || of == "noise" && a.Noise != b.Noise ||
			of == "at" && a.At != b.At || of == "metric" && a.Metric != b.Metric {
			return true
		}
	}
	return false
}

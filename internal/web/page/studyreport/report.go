package studyreport

import (
	"net/url"
	"slices"
	"strconv"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// View is the page of a study but for what its state adds.
func (v Report) View() templates.Study {
	return templates.Study{Body: v.Body(), Protocol: v.protocol(), Facts: v.Facts,
		Redo: templates.StudyRedo{Say: v.again(), Call: v.call()}}
}

// Body is what changes while a study runs.
func (v Report) Body() templates.StudyBody {
	b := templates.StudyBody{Metrics: v.metricLinks(), Notes: v.allNotes()}
	for _, f := range v.figures(v.metric) {
		chart := control.Figure(f)
		chart.Height = "l"
		b.Figures = append(b.Figures, chart)
	}
	if v.drawing.Kind == study.DrawTable {
		b.Table = v.drawnTable()
	}
	b.Verdicts = v.verdictTable()
	b.Pairs = v.pairs()
	v.cellTable(&b)
	return b
}

// link is this page with one part of its state changed.
func (v Report) link(key, value string) string {
	q := url.Values{}
	if v.metric.ID != v.drawing.Metrics[0].ID {
		q.Set("metric", v.metric.ID)
	}
	if v.Setting >= 0 && key != "metric" {
		q.Set("setting", strconv.Itoa(v.Setting))
	}
	q.Set(key, value)
	if key == "metric" && value == v.drawing.Metrics[0].ID {
		q.Del(key)
	}
	if len(q) == 0 {
		return v.path
	}
	return v.path + "?" + q.Encode()
}

func (v Report) metricLinks() []templates.View {
	var links []templates.View
	if v.drawing.Kind == study.DrawScatter && v.drawing.X.Of == "" {
		return nil // both are drawn
	}
	for _, m := range v.drawing.Metrics {
		links = append(links, templates.View{Label: m.Title, URL: v.link("metric", m.ID), On: m.ID == v.metric.ID})
	}
	return links
}

// allNotes are those of the preset with our own figures, then those of the plan.
func (v Report) allNotes() []string {
	notes := slices.Clone(v.Notes)
	if v.known && len(v.cells) > 0 {
		notes = append(v.preset.NotesOn(v.cells), notes...)
	}
	for i := range notes {
		notes[i] = viz.Unbroken(notes[i])
	}
	return notes
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

// axisTitle is what the drawing calls a part of the key.
func (v Report) axisTitle(of string) string {
	d := v.drawing
	for _, a := range []study.Axis{d.X, d.Series, d.Panels} {
		if a.Of == of {
			return a.Title
		}
	}
	return map[string]string{"at": "at", "noise": "noise", "model": "Model", "data": "Data"}[of]
}

// varies reports whether cells differ in a part of their key.
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

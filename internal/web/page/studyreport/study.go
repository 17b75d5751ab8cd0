// Package studyreport is the page of a study: its figures, its numbers beside
// the references, its replicates compared in pairs, and what was found in words; the list
// of studies with the presets; and the robustness page, a grid of its own in one sentence.
package studyreport

import (
	"slices"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/web/templates"
)

// Report is a study as its page shows it, stored or one's own. The parts
// that are exported may be set before it is shown.
type Report struct {
	Host  string          // of the request that runs it again
	Data  string          // name of the upload that the spec names; "" = it has none, or it is gone
	Notes []string        // of the plan
	Sets  []stored.Result // that ship beside the preset's own
	Facts []templates.Fact
	State // of its address

	path    string // of the page
	spec    study.Spec
	preset  study.Preset
	known   bool // as a preset
	drawing study.Drawing
	cells   []study.Cell
	drawn   map[string][]viz.Figure // by metric
	metric  study.Metric
}

// New is a study in a state of its page, whose metric must be one of the study's.
func New(path string, spec study.Spec, cells []study.Cell, st State) (Report, error) {
	v := Report{State: st, path: path, spec: spec, cells: cells, drawn: map[string][]viz.Figure{}}
	if v.preset, v.known = paper.Presets.ByID(spec.Preset); v.known {
		v.drawing = v.preset.Drawing
	} else {
		v.drawing = GridDrawing(spec)
	}
	if len(v.drawing.Metrics) == 0 {
		return v, usererr.New(usererr.Conflict, "The study is of another version: its preset is not there.")
	}
	i := slices.IndexFunc(v.drawing.Metrics, func(m study.Metric) bool { return m.ID == st.Metric })
	if i < 0 && st.Metric != "" {
		return v, usererr.BadField("metric", "is not one of this study (got %.40q)", st.Metric)
	}
	v.metric = v.drawing.Metrics[max(0, i)]
	if i == 0 {
		v.Metric = ""
	}
	return v, nil
}

// cellsShown is the number of cells on a page of their table.
const cellsShown = 25

// GridDrawing is the figure of a grid: a metric against the rates of noise, or
// boxes side by side at one rate.
func GridDrawing(s study.Spec) study.Drawing {
	d := study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Labels flipped", Of: "noise"},
		Series: study.Axis{Title: "Model", Of: "model"}}
	if s.Noise.Kind == "instance" {
		d.X.Title = "Rows replaced"
	}
	if len(s.Noise.Rates) < 2 {
		d.Kind, d.X, d.Series = study.DrawBox, study.Axis{Title: "Model", Of: "model"}, study.Axis{}
	}
	if m, ok := study.MetricByID(s.Metric); ok {
		d.Metrics = []study.Metric{m}
	}
	return d
}

// figures draws a metric, once.
func (v Report) figures(m study.Metric) []viz.Figure {
	f, ok := v.drawn[m.ID]
	if !ok {
		f = viz.StudyFigures(v.drawing, v.cells, m)
		v.drawn[m.ID] = f
	}
	return f
}

// Package studyreport makes the page of a study: its figures, its numbers beside published ones, paired comparisons
// of replicates, and a summary. It also makes the list of studies, and the robustness page, which is a grid with
// its own layout.
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

// Report is a study for its page, stored or a user's own. Exported fields may be set before it is shown.
type Report struct {
	Host  string          // of the request, for the command that repeats the study
	Data  string          // name of the upload in the spec; "" = there is none, or it was deleted
	Notes []string        // of the plan
	Sets  []stored.Result // stored results on further datasets
	Facts []templates.Fact
	State // of the address

	path    string // of the page
	spec    study.Spec
	preset  study.Preset
	known   bool // the spec is a preset
	drawing study.Drawing
	cells   []study.Cell
	drawn   map[string][]viz.Figure // by metric
	metric  study.Metric
}

// New is a study in a state of its page; it fails if the study has no such metric.
func New(path string, spec study.Spec, cells []study.Cell, st State) (Report, error) {
	v := Report{State: st, path: path, spec: spec, cells: cells, drawn: map[string][]viz.Figure{}}
	if v.preset, v.known = paper.Presets.ByID(spec.Preset); v.known {
		v.drawing = v.preset.Drawing
	} else {
		v.drawing = GridDrawing(spec)
	}
	if len(v.drawing.Metrics) == 0 {
		return v, usererr.New(usererr.Conflict,
			"Another version of Taper made this study: this one does not have its preset.")
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

// cellsShown is the number of cells per page of their table.
const cellsShown = 25

// GridDrawing is the figure of a grid: a metric against the noise rates, or box plots at a single rate.
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

// figures draws a metric, and caches the result.
func (v Report) figures(m study.Metric) []viz.Figure {
	f, ok := v.drawn[m.ID]
	if !ok {
		f = viz.StudyFigures(v.drawing, v.cells, m)
		v.drawn[m.ID] = f
	}
	return f
}

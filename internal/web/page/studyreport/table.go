package studyreport

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// drawnTable lays a table study out: a line for each series and metric, a
// column for each place.
func (v Report) drawnTable() *templates.Table {
	d := v.drawing
	t := templates.Table{Label: v.preset.Title, Columns: []templates.Column{{Label: cmp.Or(d.Series.Title, "Series")},
		{Label: "Number"}}}
	var places []string
	type line struct{ series, metric string }
	var order []line
	texts := map[line]map[string]string{}
	for _, m := range d.Metrics {
		own := v.of(m.ID)
		write := viz.StudyWriter(own)
		for _, c := range own {
			k, at := line{axisWords(d.Series, c), m.Title}, axisWords(d.X, c)
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
			if texts[k] == nil {
				texts[k] = map[string]string{}
				order = append(order, k)
			}
			if c.Mean != nil {
				texts[k][at] = write(*c.Mean)
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	for _, p := range places {
		if d.X.Of != "data" { // a name says what it is
			p = strings.TrimSpace(d.X.Title + " " + p)
		}
		t.Columns = append(t.Columns, templates.Column{Label: p, Num: true})
	}
	slices.SortStableFunc(order, func(a, b line) int { return strings.Compare(a.series, b.series) })
	if len(places) > 6 && len(d.Metrics) == 1 {
		return v.upright(places)
	}
	for _, k := range order {
		r := control.Row([]string{k.series, k.metric})
		for _, p := range places {
			r.Cells = append(r.Cells, templates.Cell{Text: cmp.Or(texts[k][p], viz.None)})
		}
		t.Rows = append(t.Rows, r)
	}
	return &t
}

// upright is such a table with a line for each place and a column for each
// series.
func (v Report) upright(places []string) *templates.Table {
	d, own := v.drawing, v.of(v.metric.ID)
	t := templates.Table{Label: v.preset.Title, Columns: []templates.Column{{Label: cmp.Or(d.X.Title, "Of")}}}
	write, texts := viz.StudyWriter(own), map[[2]string]string{}
	var names []string
	for _, c := range own {
		name := axisWords(d.Series, c)
		if !slices.Contains(names, name) {
			names = append(names, name)
			t.Columns = append(t.Columns, templates.Column{Label: name, Num: true})
		}
		if c.Mean != nil {
			texts[[2]string{axisWords(d.X, c), name}] = write(*c.Mean)
		}
	}
	for _, p := range places {
		cells := []string{p}
		for _, name := range names {
			cells = append(cells, cmp.Or(texts[[2]string{p, name}], viz.None))
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return &t
}

// of are the cells of a metric that have values.
func (v Report) of(metric string) (own []study.Cell) {
	for _, c := range v.cells {
		if c.Metric == metric && c.N > 0 {
			own = append(own, c)
		}
	}
	return own
}

// axisWords is the part of a key that an axis spreads out.
func axisWords(a study.Axis, c study.Cell) string {
	switch a.Of {
	case "at":
		return viz.Short(c.At, 4)
	case "noise":
		return viz.Short(100*c.Noise, 4) + format.Pc
	case "model":
		return c.Model
	case "data":
		return c.Data
	}
	return ""
}

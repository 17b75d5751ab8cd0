package studyreport

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// drawnTable is the table of a study: a row for each series and metric, a column for each point of the axis.
func (v Report) drawnTable() []doc.Node {
	d := v.drawing
	t := doc.Table{Label: v.preset.Title, Columns: []doc.Column{{Label: cmp.Or(d.Series.Title, "Series")},
		{Label: "Number"}}, Note: v.markNote()}
	var places []string
	type line struct{ series, metric string }
	var order []line
	values := map[line]map[string]doc.Cell{}
	for _, m := range d.Metrics {
		own := v.of(m.ID)
		as, marks := numbersOf(own), v.marks(m)
		for i, c := range own {
			k, at := line{axisWords(d.Series, c), m.Title}, axisWords(d.X, c)
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
			if values[k] == nil {
				values[k] = map[string]doc.Cell{}
				order = append(order, k)
			}
			values[k][at] = doc.Cell{Value: c.Mean, Format: as, Note: marks[i]}
		}
	}
	if len(places) == 0 {
		return nil
	}
	for _, p := range places {
		if d.X.Of != "data" { // a name needs no title
			p = strings.TrimSpace(d.X.Title + " " + p)
		}
		t.Columns = append(t.Columns, doc.Column{Label: p, Number: true})
	}
	if len(t.Columns) > 4 {
		t.Class = "stacks stacks-text"
	}
	slices.SortStableFunc(order, func(a, b line) int { return strings.Compare(a.series, b.series) })
	if len(places) > 6 && len(d.Metrics) == 1 {
		return []doc.Node{doc.Block{v.upright(places)}}
	}
	for _, k := range order {
		r := doc.Row{Cells: []doc.Cell{{Value: k.series}, {Value: k.metric}}}
		for _, p := range places {
			r.Cells = append(r.Cells, values[k][p])
		}
		t.Rows = append(t.Rows, r)
	}
	return []doc.Node{doc.Block{t}}
}

// upright is the same table transposed: a row for each point, a column for each series.
func (v Report) upright(places []string) doc.Table {
	d, own := v.drawing, v.of(v.metric.ID)
	t := doc.Table{Label: v.preset.Title, Columns: []doc.Column{{Label: cmp.Or(d.X.Title, "Of")}}, Note: v.markNote()}
	as, marks, values := numbersOf(own), v.marks(v.metric), map[[2]string]doc.Cell{}
	var names []string
	for i, c := range own {
		name := axisWords(d.Series, c)
		if !slices.Contains(names, name) {
			names = append(names, name)
			t.Columns = append(t.Columns, doc.Column{Label: name, Number: true})
		}
		values[[2]string{axisWords(d.X, c), name}] = doc.Cell{Value: c.Mean, Format: as, Note: marks[i]}
	}
	for _, p := range places {
		r := doc.Row{Cells: []doc.Cell{{Value: p}}}
		for _, name := range names {
			r.Cells = append(r.Cells, values[[2]string{p, name}])
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// numbersOf is the number format for the cells of a metric.
func numbersOf(cells []study.Cell) doc.Format {
	if decimals, few := viz.StudyDecimals(cells); few {
		return doc.To(decimals)
	}
	return doc.Format{Style: doc.Significant, Digits: 3}
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

// axisWords is the text of the part of a key that is on the axis.
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

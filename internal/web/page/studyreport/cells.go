package studyreport

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// cellTable lists a page of the cells of the metric that is shown.
func (v Report) cellTable(b *templates.StudyBody) {
	own := v.of(v.metric.ID)
	if len(own) == 0 {
		return
	}
	pages := (len(own) + cellsShown - 1) / cellsShown
	page := min(v.Page, pages)
	from, to := (page-1)*cellsShown, min(page*cellsShown, len(own))
	t := templates.Table{Label: "Cells", Class: "tbl-tight st-cells", Note: v.metric.Title + betterWords(v.metric) + "."}
	type column struct{ of, label string }
	var keys []column
	for _, of := range []string{"data", "model", "noise", "at"} {
		if v.varies(of) || of == "model" {
			keys = append(keys, column{of, cmp.Or(v.axisTitle(of), of)})
			t.Columns = append(t.Columns, templates.Column{Label: format.UpperFirst(keys[len(keys)-1].label),
				Num: of == "noise" || of == "at"})
		}
	}
	once := !slices.ContainsFunc(own, func(c study.Cell) bool { return c.N > 1 })
	if once {
		t.Columns = append(t.Columns, templates.Column{Label: "Value", Num: true})
	} else {
		t.Note += " The interval is that of the mean by Student’s t."
		t.Columns = append(t.Columns, templates.Column{Label: "n", Num: true}, templates.Column{Label: "Mean", Num: true},
			templates.Column{Label: "95" + format.Pc + " interval", Num: true},
			templates.Column{Label: "Median", Num: true}, templates.Column{Label: "SD", Num: true})
	}
	write := viz.StudyWriter(own)
	text := func(x *float64) string {
		if x == nil {
			return viz.None
		}
		return write(*x)
	}
	for _, c := range own[from:to] {
		var r templates.Row
		for _, k := range keys {
			r.Cells = append(r.Cells, templates.Cell{Text: axisWords(study.Axis{Of: k.of}, c)})
		}
		if once {
			r.Cells = append(r.Cells, templates.Cell{Text: text(c.Mean)})
			t.Rows = append(t.Rows, r)
			continue
		}
		interval := viz.None
		if c.Low != nil && c.High != nil {
			interval = viz.Range(write(*c.Low), write(*c.High))
		}
		for _, s := range []string{strconv.Itoa(c.N), text(c.Mean), interval, text(c.Median), text(c.SD)} {
			r.Cells = append(r.Cells, templates.Cell{Text: s})
		}
		t.Rows = append(t.Rows, r)
	}
	b.Cells = &t
	b.Shown = viz.Range(viz.Count(from+1), viz.Count(to)) + " of " + viz.Count(len(own))
	if page > 1 {
		b.Prev = v.link("page", strconv.Itoa(page-1)) + "#cells-h"
	}
	if page < pages {
		b.Next = v.link("page", strconv.Itoa(page+1)) + "#cells-h"
	}
}

// betterWords say which way a metric is better, where it is one way.
func betterWords(m study.Metric) string {
	title := strings.ToLower(m.Title)
	switch {
	case m.Higher:
		return ", higher is better"
	case strings.Contains(title, "error") || strings.Contains(title, "loss") || strings.Contains(title, "score"):
		return ", lower is better"
	}
	return ""
}

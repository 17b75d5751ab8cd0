package studyreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// cellTable lists a page of the cells of the metric shown.
func (v Report) cellTable() []doc.Node {
	own := v.of(v.metric.ID)
	if len(own) == 0 {
		return nil
	}
	pages := (len(own) + cellsShown - 1) / cellsShown
	page := min(v.Page, pages)
	from, to := (page-1)*cellsShown, min(page*cellsShown, len(own))
	t := doc.Table{Label: "Cells", Class: "tbl-tight st-cells", Note: v.metric.Title + betterWords(v.metric) + "."}
	var keys []string
	for _, of := range []string{"data", "model", "noise", "at"} {
		if v.varies(of) || of == "model" {
			keys = append(keys, of)
			t.Columns = append(t.Columns, doc.Column{Label: phrase.UpperFirst(cmp.Or(v.axisTitle(of), of)),
				Number: of == "noise" || of == "at"})
		}
	}
	once := !slices.ContainsFunc(own, func(c study.Cell) bool { return c.N > 1 })
	alike := !slices.ContainsFunc(own, func(c study.Cell) bool { return c.N != own[0].N })
	if !once {
		t.Note += " The interval is that of the mean by Student’s t."
		if alike { // a column that repeats one number takes room on a phone
			t.Note += fmt.Sprintf(" Each mean is over %d replicates.", own[0].N)
		} else {
			t.Columns = append(t.Columns, doc.Column{Label: "n", Number: true})
		}
		t.Columns = append(t.Columns, doc.Column{Label: "Mean", Number: true},
			doc.Column{Label: "95" + format.Pc + " interval", Number: true},
			doc.Column{Label: "Median", Number: true, Class: "only-w"},
			doc.Column{Label: "SD", Number: true, Class: "only-w"})
	} else {
		t.Columns = append(t.Columns, doc.Column{Label: "Value", Number: true})
	}
	as, anyCut := numbersOf(own), false
	for _, c := range own[from:to] {
		var r doc.Row
		for _, of := range keys {
			r.Cells = append(r.Cells, doc.Cell{Value: axisWords(study.Axis{Of: of}, c)})
		}
		mean := doc.Cell{Value: c.Mean, Format: as}
		if once {
			r.Cells = append(r.Cells, mean)
		} else {
			var interval doc.Cell
			if c.Low != nil && c.High != nil {
				low, cut := viz.LowerEnd(v.metric, c)
				interval.Value, anyCut = viz.Range(as.Write(low), as.Write(*c.High)), anyCut || cut
			}
			if !alike {
				r.Cells = append(r.Cells, doc.Cell{Value: c.N})
			}
			r.Cells = append(r.Cells, mean, interval, doc.Cell{Value: c.Median, Format: as},
				doc.Cell{Value: c.SD, Format: as})
		}
		t.Rows = append(t.Rows, r)
	}
	if anyCut {
		t.Note += " No value is below 0, so an interval that would reach there is cut at 0."
	}
	all := doc.Block{t}
	if pages > 1 {
		to := func(page int) string {
			if page < 1 || page > pages {
				return ""
			}
			return v.url(State{Metric: v.Metric, Setting: v.Setting, Page: page}) + "#cells-h"
		}
		all = append(all, doc.Form{View: templates.StudyPager(viz.Range(phrase.Int(from+1),
			phrase.Int(min(page*cellsShown, len(own))))+" of "+
			phrase.Int(len(own)), to(page-1), to(page+1))})
	}
	return []doc.Node{all}
}

// betterWords says whether higher or lower values of a metric are better, where this is defined.
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

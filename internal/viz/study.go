package viz

import (
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine/study"
)

// StudyFigures draws one metric of a study as its drawing says, with a figure for each panel
// that has cells. If all cells have the same x, models or parts of the data are compared
// instead.
func StudyFigures(d study.Drawing, cells []study.Cell, m study.Metric) []Figure {
	var own []study.Cell
	for _, c := range cells {
		if c.Metric == m.ID && c.N > 0 {
			own = append(own, c)
		}
	}
	if d.Kind == study.DrawTable && d.X.Of == "data" && d.Series.Of == "model" {
		d.Kind = drawDots // as a forest plot
	}
	if len(own) == 0 || d.Kind == study.DrawTable {
		return nil
	}
	if d.Kind == study.DrawScatter && d.X.Of == "" {
		return pairFigures(d, cells)
	}
	if d.Panels.Of == "metric" {
		d.Panels = study.Axis{}
	}
	var figures []Figure
	for i, p := range panels(d, own) {
		p.metric = m
		figures = append(figures, p.figure(i))
	}
	return figures
}

func panels(d study.Drawing, cells []study.Cell) []*panel {
	var all []*panel
	byName := map[string]*panel{}
	write := writer(cells)
	for _, c := range cells {
		name := part(d.Panels, c)
		p := byName[name]
		if p == nil {
			p = &panel{Drawing: d, name: name, write: write}
			byName[name], all = p, append(all, p)
		}
		p.add(c)
	}
	for _, p := range all {
		if n := len(p.series) - mostSeries; n > 0 {
			p.series, p.left = p.series[:mostSeries], n
		}
		p.settle()
	}
	return all
}

// figure draws a panel with its sentence and its table.
func (p *panel) figure(i int) Figure {
	f := Figure{ID: "study-" + strconv.Itoa(i), Title: p.metric.Title, Finding: Unbroken(p.finding())}
	f.Sentence = strings.TrimSpace(Unbroken(p.made()) + " " + f.Finding)
	if words := p.uprightWords(); words != "" {
		f.Sentence = strings.TrimSpace(f.Sentence + " " + words)
	}
	if p.left > 0 {
		f.Sentence += fmt.Sprintf(" %d of %d series are drawn; the table of cells holds all.", len(p.series), len(p.series)+
			p.left)
	}
	if p.name != "" {
		f.Title += ", " + p.name
	}
	f.Label = f.Title + ". " + f.Sentence
	f.Head, f.Rows = p.table()
	switch p.Kind {
	case study.DrawBox:
		f.Option, f.Legend = p.boxes()
	case study.DrawHistogram:
		f.Option, f.Legend = p.bars()
	case study.DrawScatter:
		f.Option, f.Legend = p.scatter()
	case drawDots:
		f.Option, f.Legend = p.dots()
	default:
		f.Option, f.Legend = p.lines()
	}
	return f
}

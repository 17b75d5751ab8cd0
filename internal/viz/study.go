package viz

import "taper/internal/engine/study"

// StudyFigures draws one metric of a study as its drawing says: a figure for
// each panel that has cells. Where every cell stands at one place of the axis,
// what is left to compare is drawn: models, or parts of the data.
func StudyFigures(d study.Drawing, cells []study.Cell, m study.Metric) []Figure {
	var own []study.Cell
	for _, c := range cells {
		if c.Metric == m.ID && c.N > 0 {
			own = append(own, c)
		}
	}
	if d.Kind == study.DrawTable && d.X.Of == "data" && d.Series.Of == "model" {
		d.Kind = drawDots // a forest
	}
	if len(own) == 0 || d.Kind == study.DrawTable {
		return nil
	}
	if d.Kind == study.DrawScatter && d.X.Of == "" {
		return []Figure{pairFigure(d, cells)}
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

// panel is one chart of a study.
type panel struct {
	study.Drawing
	name   string
	metric study.Metric
	series []series
	labels []string // of X, where it is no number
	write  func(float64) string
	left   int // series that are not drawn
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
